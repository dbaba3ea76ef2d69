// Shows the details of a feature in its open row.

// Returns a table of figures. Each line has a name, and a text for each
// dataset. Lines without any text are left out.
function figuresTable(lines, names, caption) {
  const rows = lines.filter(([, texts]) => texts.some(Boolean));
  if (rows.length === 0) return null;
  return element(
    'table', {class: 'figures', 'aria-label': caption},
    names && element(
      'thead', {}, element(
        'tr', {}, element('td'), ...names.map((name, side) => element(
          'th', {scope: 'col', class: `side${side}`}, name)))),
    element('tbody', {}, ...rows.map(([name, texts]) => element(
      'tr', {}, element('th', {scope: 'row'}, name),
      ...texts.map(text => element('td', {class: 'number'}, text || ''))))));
}

function block(title, ...children) {
  const shown = children.filter(Boolean);
  if (shown.length === 0) return null;
  return element('section', {class: 'block'}, element('h3', {}, title),
    ...shown);
}

// Returns buttons of which one is pressed. `choose` is called with the index of
// the button that is clicked.
function choice(label, texts, chosen, choose) {
  const buttons = texts.map((text, i) => {
    const button = element(
      'button', {type: 'button', 'aria-pressed': i === chosen}, text);
    button.addEventListener('click', () => {
      buttons.forEach((other, j) =>
        other.setAttribute('aria-pressed', i === j));
      choose(i);
    });
    return button;
  });
  return element('span', {class: 'choice', role: 'group', 'aria-label': label},
    element('span', {}, label), ...buttons);
}

function numbersChart(feature, names) {
  const sides = feature.f.map(figures => numbersOf(figures, feature.k));
  if (!sides.some(stats => stats?.h)) return null;
  const hasLog = sides.some(stats => stats?.g);
  let isLogX = hasLog;
  let isLogY = false;
  const holder = element('div');
  const draw = () => {
    const histograms = histogramsOf(
      feature, figures => numbersOf(figures, feature.k)?.[isLogX ? 'g' : 'h']);
    for (const histogram of histograms) {
      if (histogram) histogram.isWhole = KINDS[feature.k] === 'int64';
    }
    holder.replaceChildren(chart(histograms, {
      isLog: isLogY,
      names,
      label: `Histogram of the values of ${feature.n}`,
    }));
  };
  draw();
  const scales = ['linear', 'log'];
  return block(
    'Distribution', holder,
    element('p', {class: 'choices'},
      hasLog ? choice('Values', scales, 1, i => { isLogX = i === 1; draw(); }) :
        null,
      choice('Heights', scales, 0, i => { isLogY = i === 1; draw(); })));
}

function lengthsChart(title, feature, names, lengthsOf, unit) {
  const histograms = histogramsOf(feature, figures => lengthsOf(figures)?.[4]);
  if (!histograms.some(Boolean)) return null;
  for (const histogram of histograms) if (histogram) histogram.isWhole = true;
  return block(title, chart(histograms, {
    isLog: false,
    names,
    unit,
    label: `Histogram of the ${title.toLowerCase()} of ${feature.n}`,
  }));
}

function rangeText(lengths) {
  if (!lengths) return '';
  const [, min, mean, max] = lengths;
  if (min === max) return numberText(min);
  return `${numberText(min)} to ${numberText(max)}, mean ${numberText(mean)}`;
}

function presenceLines(feature, records) {
  const of = get => feature.f.map(
    (figures, side) => figures ? get(figures, side) : 'absent');
  const some = (count, side) =>
    count && `${numberText(count)} (${shareText(count, records[side])})`;
  return [
    ['Records with it', of((f, side) => some(f.p || 0, side) || '0')],
    ['Records without', feature.f.map((f, side) => f && some(f.m, side))],
    ['Records without a kind',
      feature.f.map((f, side) => f && some(f.u, side))],
    ['Kinds', feature.f.map(f => f?.k && f.k.map((count, kind) => count &&
      `${KINDS[kind]} ${numberText(count)}`).filter(Boolean).join(', '))],
    ['Values a record', feature.f.map(f => f && rangeText(f.v))],
    ['Steps a record', feature.f.map(f => f && rangeText(f.st))],
    ['Values a step', feature.f.map(f => f && rangeText(f.sv))],
    ['Steps without a kind', feature.f.map(f => f && numberText(f.us))],
    ['In the file', feature.f.map(f => f?.b && sizeText(f.b))],
    ['First comes in', feature.f.map(
      f => f?.at && `record ${numberText(f.at[1])} of ${f.at[0]}`)],
  ];
}

function numberLines(feature) {
  const sides = feature.f.map(figures => numbersOf(figures, feature.k));
  const of = get => sides.map(stats => stats && get(stats));
  const some = key => of(s => s[key] &&
    `${numberText(s[key])} (${shareText(s[key], s.c)})`);
  return [
    ['Mean', of(s => s.r && numberText(s.r[1]))],
    ['Standard deviation', of(s => s.r && numberText(s.r[3]))],
    ['Zeros', some('z')],
    ['NaN', some('nan')],
    ['+∞', some('pi')],
    ['−∞', some('ni')],
    ['Distinct', of(s => numberText(s.n))],
  ];
}

function textLines(feature) {
  const sides = feature.f.map(textsOf);
  const of = get => sides.map(stats => stats && get(stats));
  return [
    ['Values', of(s => numberText(s.c))],
    ['Distinct', of(s => distinctText(s))],
    ['UTF-8', of(s => shareText(s.u || 0, s.c))],
    ['Bytes a value', of(s => rangeText(s.l))],
  ];
}

function distinctText(stats) {
  if (!stats?.n) return '';
  return `${stats.e ? '≈ ' : ''}${numberText(stats.n)}` +
    `${stats.e ? ` ± ${shareText(stats.e, 1)}` : ''}`;
}

function quantilesTable(feature, names) {
  const titles = ['1%', '5%', '25%', 'Median', '75%', '95%', '99%'];
  const sides = feature.f.map(figures => numbersOf(figures, feature.k));
  if (!sides.some(stats => stats?.q)) return null;
  const of = get => sides.map(stats => stats?.r && numberText(get(stats)));
  const error = Math.max(...sides.map(stats => stats?.e || 0));
  return block(
    'Quantiles',
    figuresTable([
      ['Minimum', of(s => s.r[0])],
      ...titles.map((title, i) => [title, of(s => s.q[i])]),
      ['Maximum', of(s => s.r[2])],
    ], names, 'Quantiles'),
    error > 0 ? element('p', {class: 'note'},
      `Ranks are right to ${shareText(error, 1)}.`) : null);
}

// Returns bars of shares, one above the other; absent shares are null.
function shareBars(shares) {
  const width = 100;
  const high = 5;
  return drawn(
    'svg', {class: 'sharebars', viewBox: `0 0 ${width} ${high * shares.length}`,
            preserveAspectRatio: 'none', 'aria-hidden': true},
    ...shares.map((share, side) => share > 0 ? drawn('rect', {
      class: `fill${side}`, x: 0, y: side * high, height: high,
      width: Math.max(share * width, 1.5)}) : null));
}

function topTable(feature, names) {
  const top = topShares(feature, 20);
  if (top.length === 0) return null;
  const most = Math.max(...top.flatMap(
    ([, sides]) => sides.map(found => found ? found.share : 0)));
  const rest = Math.max(...feature.f.map(f => textsOf(f)?.oe || 0));
  const countText = found => !found ? '' : found.error ?
    `${numberText(found.count)} to ${numberText(found.count + found.error)}` :
    numberText(found.count);
  return block(
    'Most frequent values',
    element(
      'table', {class: 'top', 'aria-label': 'Most frequent values'},
      names && element(
        'thead', {}, element(
          'tr', {}, element('td'), element('td'),
          ...names.map((name, side) => element(
            'th', {scope: 'col', class: `side${side}`}, name)))),
      element('tbody', {}, ...top.map(([value, sides]) => element(
        'tr', {},
        element('th', {scope: 'row', class: 'value'}, valueNode(value)),
        element('td', {class: 'bar'}, shareBars(
          sides.map(found => found ? found.share / most : 0))),
        ...sides.map(found => element(
          'td', {class: 'number', title: countText(found)},
          found ? shareText(found.share, 1) : '–')))))),
    rest > 0 ? element('p', {class: 'note'},
      `Any other value comes at most ${numberText(rest)} times.`) : null);
}

// Returns a node that shows a value of the data; the value may be empty.
function valueNode(value) {
  if (value === '') return element('i', {}, 'empty');
  return typeof value === 'string' && !/^-?\d+$/.test(value) ?
    element('bdi', {}, value) : numberText(value);
}

const PICTURES = ['jpeg', 'png', 'gif', 'webp'];

function sampleNode([text, size, look, width, height, picture]) {
  const pixels = width ? ` ${width} × ${height}` : '';
  const caption = `${look}${pixels}, ${sizeText(size)}`;
  if (picture && PICTURES.includes(look)) {
    const image = element('img', {
      src: `data:image/${look};base64,${picture}`, alt: `Picture, ${caption}`,
      loading: 'lazy'});
    image.addEventListener('error', () =>
      image.replaceWith(element('bdi', {class: 'value'}, text)));
    return element('li', {class: 'picture'}, image,
      element('small', {}, caption));
  }
  return element('li', {}, element('span', {class: 'value'}, valueNode(text)),
    ' ', element('small', {}, caption));
}

function samplesBlocks(feature, names) {
  return feature.f.map((figures, side) => {
    const samples = textsOf(figures)?.s;
    if (!samples) return null;
    const title = names ? `Examples of ${names[side]}` : 'Examples';
    return block(title, element('ul', {class: 'samples'},
      ...samples.map(sampleNode)));
  });
}

function classesBlocks(feature, data, names) {
  return feature.f.map((figures, side) => {
    const {by, classes} = data.sides[side];
    if (!figures?.y || !classes) return null;
    const hasMeans = figures.y.some(([, count]) => count);
    const title = `By ${by}${names ? `, ${names[side]}` : ''}`;
    return block(title, element(
      'table', {class: 'figures', 'aria-label': title},
      element('thead', {}, element('tr', {},
        element('th', {scope: 'col'}, by),
        element('th', {scope: 'col'}, 'Records'),
        element('th', {scope: 'col'}, 'Present'),
        hasMeans ? element('th', {scope: 'col'}, 'Mean') : null)),
      element('tbody', {}, ...figures.y.map(([present, count, mean], i) =>
        element('tr', {},
          element('th', {scope: 'row'}, valueNode(classes[i][0])),
          element('td', {class: 'number'}, numberText(classes[i][1])),
          element('td', {class: 'number'}, shareText(present, classes[i][1])),
          hasMeans ? element('td', {class: 'number'},
            count ? numberText(mean) : '') : null)))));
  });
}

function detailsOf(feature, data) {
  const names = data.sides.length > 1 ? data.sides.map(s => s.name) : null;
  const records = data.sides.map(side => side.records);
  const remarks = feature.w && element(
    'ul', {class: 'marks'}, ...feature.w.map(text => element('li', {}, text)));
  return element(
    'div', {class: 'details'}, remarks || null,
    element(
      'div', {class: 'blocks'},
      numbersChart(feature, names),
      quantilesTable(feature, names),
      block('Figures', figuresTable(
        [...presenceLines(feature, records), ...numberLines(feature),
          ...textLines(feature)], names, 'Figures')),
      topTable(feature, names),
      lengthsChart('Bytes a value', feature, names, f => textsOf(f)?.l, ' B'),
      lengthsChart('Values a record', feature, names, f => f.v),
      lengthsChart('Steps a record', feature, names, f => f.st),
      ...samplesBlocks(feature, names),
      ...classesBlocks(feature, data, names)));
}
