// The table of features, whose columns and rows page_table.cc wrote. This
// script sorts the rows, and keeps only rows near the window in the document,
// so that thousands of them cost nothing.

const CHUNK = 50;
// Tables of at most this many rows are drawn whole, so that the browser's
// search finds every row.
const ALWAYS_DRAWN = 300;

// A document may have several of these tables, so their ids have a random
// prefix.
const idPrefix = `headrace-${Math.random().toString(36).slice(2)}`;
let nextId = 0;

// Returns the number that a text like "≈ 1,234", "1–3", "<0.1%" or "1.5 KiB"
// begins with.
function numberIn(text) {
  const found = /(-?\d[\d,.]*(?:e[-+]\d+)?)\s?(\w*)/.exec(text);
  if (!found) return null;
  const power = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'].indexOf(found[2]) + 1;
  return Number(found[1].replaceAll(',', '')) * 1024 ** power;
}

// Returns the lines of a cell, one for each dataset.
function linesOf(cell) {
  const lines = cell.querySelectorAll('div');
  return lines.length > 0 ? [...lines] : [cell];
}

// Returns the sort key of a cell of numbers: the number of the first dataset
// that has one. If the cell shows values with their shares, the key is the
// share.
function keyOf(cell) {
  if (!('key' in cell)) {
    const line = linesOf(cell).find(found => found.textContent !== '–');
    cell.key = numberIn((line.querySelector('small') || line).textContent);
  }
  return cell.key;
}

// Sorts features by a key. Absent values are last in either direction; equal
// ones keep their order.
function sorted(features, key, isDown) {
  const keyed = features.map(feature => [key(feature), feature]);
  const sign = isDown ? -1 : 1;
  keyed.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return a < b ? -sign : a > b ? sign : 0;
  });
  return keyed.map(([, feature]) => feature);
}

class FeatureTable {
  constructor(data, plain, scroller) {
    this.data = data;
    const rows = [...plain.tBodies[0].rows];
    data.features.forEach((feature, i) => {
      feature.row = rows[i];
      feature.cells = [...rows[i].cells];
    });
    this.head = plain.tHead.rows[0];
    this.columns = [...this.head.cells].map((head, i) => this.columnOf(head, i));
    this.valuesAt = this.columns.findIndex(c => c.head.matches('.c-values'));
    // The one column that this script adds.
    this.columns[this.valuesAt].head.after(
      element('th', {scope: 'col', class: 'c-spark'}, 'Distribution'));
    this.span = this.columns.length + 1;
    this.opened = new Set();
    this.chunks = [];
    this.table = element(
      'table', {class: 'live', 'aria-label': 'Features'},
      element('thead', {}, this.head));
    // Cells that span the table count only the columns that the width shows.
    new ResizeObserver(() => this.setSpans()).observe(this.head);
    this.observer = new IntersectionObserver(
      entries => this.turn(entries), {root: scroller, rootMargin: '600px'});
  }

  // Returns a column. Its key is a text or a number to sort by; null sorts
  // last.
  columnOf(head, i) {
    const isNumber = head.classList.contains('number');
    const isName = head.matches('.c-name');
    const column = {
      head,
      isNumber,
      key: feature => isName ? feature.n.toLowerCase() :
        isNumber ? keyOf(feature.cells[i]) : feature.cells[i].textContent,
    };
    const button = element('button', {type: 'button'}, ...head.childNodes);
    button.addEventListener('click', () => this.sortBy(column));
    head.append(button);
    return column;
  }

  setSpans() {
    const cells = [...this.head.cells];
    const span = cells.filter(cell => cell.offsetWidth > 0).length;
    if (span === this.span || span === 0) return;
    this.span = span;
    for (const row of this.table.querySelectorAll('.open, .space')) {
      row.cells[0].colSpan = span;
    }
  }

  // Sorts by a column. A second click reverses the order. Columns of numbers
  // begin with the largest.
  sortBy(column) {
    const isDown = this.sortedBy === column ? !this.isDown : column.isNumber;
    this.sortedBy = column;
    this.isDown = isDown;
    for (const other of this.columns) other.head.removeAttribute('aria-sort');
    column.head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
    this.show(this.features);
  }

  show(features) {
    this.features = features;
    const column = this.sortedBy;
    this.order = column ? sorted(features, column.key, this.isDown) : features;
    this.table.setAttribute('aria-rowcount', this.order.length + 1);
    const wanted = Math.ceil(this.order.length / CHUNK);
    while (this.chunks.length > wanted) {
      const {body} = this.chunks.pop();
      this.observer.unobserve(body);
      body.remove();
    }
    for (let i = 0; i < wanted; ++i) this.setChunk(i);
  }

  // Chunks that are not drawn stay unchanged, so sorting costs only the rows
  // that are seen.
  setChunk(i) {
    const count = Math.min(CHUNK, this.order.length - i * CHUNK);
    if (i === this.chunks.length) {
      const body = element('tbody');
      body.chunk = {body, begin: i * CHUNK, count: 0, isDrawn: false};
      this.chunks.push(body.chunk);
      this.table.append(body);
      this.observer.observe(body);
    }
    const chunk = this.chunks[i];
    const isOtherSize = chunk.count !== count;
    chunk.count = count;
    if (i === 0 || chunk.isDrawn || this.order.length <= ALWAYS_DRAWN) {
      this.draw(chunk);
    } else if (isOtherSize) {
      this.clear(chunk, count * this.rowHeight);
    }
    this.rowHeight ??= this.heightOf(chunk) / count;
  }

  heightOf(chunk) {
    return chunk.body.getBoundingClientRect().height;
  }

  // Draws chunks near the window; others become empty space, except the one
  // with the focus.
  turn(entries) {
    for (const {target, isIntersecting} of entries) {
      const chunk = target.chunk;
      if (isIntersecting && !chunk.isDrawn) {
        this.draw(chunk);
      } else if (!isIntersecting && chunk.isDrawn &&
                 this.order.length > ALWAYS_DRAWN &&
                 !target.contains(document.activeElement)) {
        this.clear(chunk, this.heightOf(chunk));
      }
    }
  }

  draw(chunk) {
    const rows = [];
    for (let i = 0; i < chunk.count; ++i) {
      const feature = this.order[chunk.begin + i];
      const row = this.rowOf(feature, chunk.begin + i);
      rows.push(row);
      if (this.opened.has(feature)) rows.push(this.detailsRow(feature, row));
    }
    chunk.body.replaceChildren(...rows);
    chunk.isDrawn = true;
    // Makes the observer report again whether the chunk is near.
    this.observer.unobserve(chunk.body);
    this.observer.observe(chunk.body);
  }

  clear(chunk, height) {
    const space = element('td', {colspan: this.span});
    space.style.height = `${height}px`;
    chunk.body.replaceChildren(
      element('tr', {class: 'space', 'aria-hidden': true}, space));
    chunk.isDrawn = false;
  }

  drawAll() {
    for (const chunk of this.chunks) if (!chunk.isDrawn) this.draw(chunk);
  }

  // Returns the feature's row of the page, after adding the parts that need
  // script.
  rowOf(feature, index) {
    const {row, cells} = feature;
    row.setAttribute('aria-rowindex', index + 2);
    if (row.feature) return row;
    row.feature = feature;
    cells.forEach((cell, i) => {
      cell.className = this.columns[i].head.className;
      if (cell.matches('.c-present')) this.addBars(cell);
    });
    cells[this.valuesAt].after(
      element('td', {class: 'c-spark'}, sparkline(feature)));
    const button = element(
      'button', {type: 'button', 'aria-expanded': false},
      element('bdi', {class: 'value'}, valueNode(feature.n)));
    button.addEventListener('click', () => this.toggle(row));
    const mark = feature.w && element(
      'span', {class: 'mark', title: feature.w.join('\n'), role: 'img',
               'aria-label': counted(feature.w.length, 'remark')}, '●');
    const [name] = cells;
    const only = name.querySelector('.only');
    name.setAttribute('scope', 'row');
    name.replaceChildren();
    fill(name, {}, [button, mark,
      element('small', {class: 'kind', 'aria-hidden': true},
        KINDS[feature.k || 0]), only]);
    return row;
  }

  addBars(cell) {
    linesOf(cell).forEach((line, side) => {
      const share = numberIn(line.textContent);
      if (share === null) return;
      const bar = shareBars([share / 100]);
      bar.firstChild?.setAttribute('class', `fill${side}`);
      line.replaceChildren(
        element('span', {class: 'presence'}, bar, line.textContent));
    });
  }

  toggle(row) {
    const {feature} = row;
    const button = row.querySelector('button');
    if (this.opened.delete(feature)) {
      row.nextSibling.remove();
      button.removeAttribute('aria-controls');
    } else {
      this.opened.add(feature);
      row.after(this.detailsRow(feature, row));
    }
    button.setAttribute('aria-expanded', this.opened.has(feature));
  }

  detailsRow(feature, row) {
    const id = `${idPrefix}-${++nextId}`;
    row.querySelector('button').setAttribute('aria-controls', id);
    return element('tr', {class: 'open', id}, element(
      'td', {colspan: this.span}, detailsOf(feature, this.data)));
  }

  // Opens the row of a feature that is shown, and scrolls to it.
  goTo(feature) {
    const at = this.order.indexOf(feature);
    const chunk = this.chunks[Math.floor(at / CHUNK)];
    if (!chunk.isDrawn) this.draw(chunk);
    const row = [...chunk.body.rows].find(found => found.feature === feature);
    if (!this.opened.has(feature)) this.toggle(row);
    row.scrollIntoView({block: 'start'});
    row.querySelector('button').focus({preventScroll: true});
  }
}
