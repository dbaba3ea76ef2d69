// The table of features: columns, and rows that are drawn when they are near
// the window, so that thousands of them cost nothing.

const CHUNK = 50;
// Up to so many rows are drawn at once, so the browser's search finds them.
const ALWAYS_DRAWN = 300;

// A document may have several of these tables.
const idPrefix = `headrace-${Math.random().toString(36).slice(2)}`;
let nextId = 0;

// One line a dataset in a cell.
function perSide(feature, text) {
  const shown = feature.f.map(
    (figures, side) => figures && text(figures, side) || null);
  if (!shown.some(Boolean)) return [];
  if (shown.length === 1) return shown;
  return shown.map((part, side) =>
    element('div', {class: `side${side}`}, part ?? '–'));
}

function rangeOf(feature, figures, i) {
  const numbers = numbersOf(figures, feature.k);
  if (numbers) return numbers.r && briefText(numbers.r[i]);
  const lengths = textsOf(figures)?.l;
  return lengths && `${briefText(lengths[i + 1])} B`;
}

function rangeKey(feature, i) {
  const figures = firstOf(feature);
  const numbers = numbersOf(figures, feature.k);
  const value = numbers ? numbers.r?.[i] : textsOf(figures)?.l?.[i + 1];
  return value == null ? null : Number(value);
}

function valuesOf(feature, figures) {
  return textsOf(figures) || numbersOf(figures, feature.k);
}

function topCell(feature, figures) {
  const stats = valuesOf(feature, figures);
  const top = stats?.o?.[0];
  if (!top) return null;
  return element(
    'div', {class: 'topvalue'},
    element('span', {class: 'value'}, valueNode(top[0])),
    element('small', {}, shareText(top[1], stats.c)));
}

function presenceCell(data) {
  return feature => perSide(feature, (figures, side) => {
    const present = figures.p || 0;
    const bar = shareBars([present / (data.sides[side].records || 1)]);
    bar.firstChild?.setAttribute('class', `fill${side}`);
    return element('span', {class: 'presence'}, bar,
      shareText(present, data.sides[side].records));
  });
}

function listText(figures) {
  if (!figures.v) return '';
  const [, min, , max] = figures.v;
  return min === max ? numberText(min) :
    `${numberText(min)}–${numberText(max)}`;
}

// Each column has a cell, and a key to sort by: text, or a number, null last.
function columnsOf(data) {
  const records = data.sides[0].records || 1;
  const columns = [
    {id: 'name', title: 'Feature', key: f => f.n.toLowerCase()},
    {id: 'kind', title: 'Kind', key: f => KINDS[f.k || 0],
      cell: f => [KINDS[f.k || 0], f.s ? element('small', {}, ' steps') : '']},
    {id: 'present', title: 'Present', number: true,
      key: f => (firstOf(f).p || 0) / records, cell: presenceCell(data)},
    {id: 'values', title: 'Values', number: true,
      hint: 'Values a record', key: f => firstOf(f).v?.[2] ?? null,
      cell: f => perSide(f, listText)},
    {id: 'spark', title: 'Distribution', cell: f => [sparkline(f) || '']},
    ...['Min', 'Mean', 'Max'].map((title, i) => ({
      id: title.toLowerCase(), title, number: true,
      hint: `${title} of numbers, or of the bytes a value has`,
      key: f => rangeKey(f, i),
      cell: f => perSide(f, figures => rangeOf(f, figures, i))})),
    {id: 'distinct', title: 'Distinct', number: true,
      hint: 'Distinct values',
      key: f => valuesOf(f, firstOf(f))?.n ?? null,
      cell: f => perSide(f, figures => {
        const stats = valuesOf(f, figures);
        return stats?.n && `${stats.e ? '≈ ' : ''}${numberText(stats.n)}`;
      })},
    {id: 'top', title: 'Most frequent', hint: 'The most frequent value',
      key: f => {
        const stats = valuesOf(f, firstOf(f));
        return stats?.o?.[0] ? stats.o[0][1] / stats.c : null;
      },
      number: true, left: true,
      cell: f => perSide(f, figures => topCell(f, figures))},
  ];
  if (data.sides.length > 1) {
    columns.splice(2, 0, {
      id: 'distance', title: 'Distance', number: true,
      hint: 'How much the two differ: 0 not at all, 1 in everything',
      key: f => f.d || 0, cell: f => [(f.d || 0).toFixed(3)]});
  }
  return columns;
}

// Absent values come last either way; equal ones stay in their order.
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
  constructor(data, scroller) {
    this.data = data;
    this.columns = columnsOf(data);
    this.span = this.columns.length;
    this.opened = new Set();
    this.chunks = [];
    this.head = element('tr', {}, ...this.columns.map(c => this.headOf(c)));
    this.table = element(
      'table', {class: 'live', 'aria-label': 'Features'},
      element('thead', {}, this.head));
    // Cells that span the table count the columns that the width leaves.
    new ResizeObserver(() => this.setSpans()).observe(this.head);
    this.observer = new IntersectionObserver(
      entries => this.turn(entries), {root: scroller, rootMargin: '600px'});
  }

  headOf(column) {
    const attributes = {
      scope: 'col',
      class: `c-${column.id}${column.number && !column.left ? ' number' : ''}`,
      title: column.hint,
    };
    if (!column.key) return element('th', attributes, column.title);
    const button = element('button', {type: 'button'}, column.title);
    button.addEventListener('click', () => this.sortBy(column));
    column.head = element('th', attributes, button);
    return column.head;
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

  // A second click turns the order around. Numbers begin with the largest.
  sortBy(column) {
    const isDown = this.sortedBy === column ? !this.isDown : !!column.number;
    this.sortedBy = column;
    this.isDown = isDown;
    for (const other of this.columns) other.head?.removeAttribute('aria-sort');
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

  // Chunks that are not drawn stay as they are, so sorting costs only what is
  // seen of it.
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

  // Chunks near the window are drawn; others become empty space, except where
  // the focus is.
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
    // The observer says anew whether it is near.
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

  rowOf(feature, index) {
    const isOpen = this.opened.has(feature);
    const button = element(
      'button', {type: 'button', 'aria-expanded': isOpen},
      element('bdi', {class: 'value'}, valueNode(feature.n)));
    const mark = feature.w && element(
      'span', {class: 'mark', title: feature.w.join('\n'), role: 'img',
               'aria-label': counted(feature.w.length, 'remark')}, '●');
    const row = element(
      'tr', {'aria-rowindex': index + 2},
      element('th', {scope: 'row', class: 'c-name'}, button, mark || null,
        element('small', {class: 'kind', 'aria-hidden': true},
          KINDS[feature.k || 0]),
        this.onlyOf(feature)),
      ...this.columns.slice(1).map(column => element(
        'td', {class: `c-${column.id}` +
          `${column.number && !column.left ? ' number' : ''}`},
        ...column.cell(feature))));
    row.feature = feature;
    button.addEventListener('click', () => this.toggle(row));
    return row;
  }

  // Says which dataset alone has the feature.
  onlyOf(feature) {
    const {sides} = this.data;
    const side = feature.f.findIndex(figures => figures);
    if (feature.f.every(Boolean)) return null;
    return element('small', {class: `only side${side}`},
      `only ${sides[side].name}`);
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

  // Opens the row of a feature that is shown, and goes there.
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
