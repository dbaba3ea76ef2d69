// Draws histograms: small ones in rows of the table, large ones in open rows.
// The first dataset is drawn as bars, the second as a line over them.

const WIDEST_BAR = 24;

// Returns the space between bars. If there are few bars, they are narrower than
// their bins.
function spaceOf(heights, width, gap) {
  const step = width / heights.length;
  return Math.max(Math.min(gap, step / 3), step - WIDEST_BAR);
}

// Returns one path for all bars of a histogram.
function barsPath(heights, width, height, gap) {
  const step = width / heights.length;
  const space = spaceOf(heights, width, gap);
  let path = '';
  heights.forEach((share, i) => {
    if (share <= 0) return;
    const tall = Math.max(share * height, 1);
    path += `M${(i * step + space / 2).toFixed(1)} ${height}` +
      `v${-tall.toFixed(1)}h${(step - space).toFixed(1)}v${tall.toFixed(1)}z`;
  });
  return path;
}

// Returns the outline of the same bars. Between bars that are apart, it goes
// down to the axis.
function linePath(heights, width, height, gap) {
  const step = width / heights.length;
  const space = spaceOf(heights, width, gap);
  const margin = space > gap ? space / 2 : 0;
  let path = `M${margin} ${height}`;
  heights.forEach((share, i) => {
    const y = height - (share > 0 ? Math.max(share * height, 1) : 0);
    if (margin > 0) path += `V${height}H${(i * step + margin).toFixed(1)}`;
    path += `V${y.toFixed(1)}H${((i + 1) * step - margin).toFixed(1)}`;
  });
  return `${path}V${height}`;
}

// Returns bars and a line for one or two lists of heights, from 0 to 1.
function shapes(lists, width, height, gap) {
  return lists.map((heights, i) => {
    if (!heights) return null;
    return i === 0 ?
      drawn('path', {class: 'bars', d: barsPath(heights, width, height, gap)}) :
      drawn('path', {class: 'line', d: linePath(heights, width, height, gap)});
  });
}

function scaled(lists) {
  const most = Math.max(...lists.flatMap(list => list || []), 1e-300);
  return lists.map(list => list && list.map(share => share / most));
}

function sharesOf(histogram) {
  return histogram &&
    histogram.counts.map(count => count / (histogram.total || 1));
}

// Returns the most frequent values of either dataset, and the share of each in
// both.
function topShares(feature, most) {
  const sides = feature.f.map(
    figures => textsOf(figures) || numbersOf(figures, feature.k));
  const values = new Map();
  sides.forEach((stats, side) => {
    for (const [value, count, error = 0] of stats?.o || []) {
      if (!values.has(value)) values.set(value, feature.f.map(() => null));
      values.get(value)[side] = {count, error, share: count / stats.c};
    }
  });
  const largest = ([, sides]) =>
    Math.max(...sides.map(found => found ? found.share : 0));
  return [...values].sort((a, b) => largest(b) - largest(a)).slice(0, most);
}

// Returns the distribution that the row of a feature shows: that of its
// numbers; else that of its most frequent values, if these cover enough; else
// that of the lengths of its bytes.
function shapeOf(feature) {
  const numbers = feature.f.map(figures => numbersOf(figures, feature.k));
  if (numbers.some(stats => stats?.h)) {
    const key = numbers.some(stats => stats?.g) ? 'g' : 'h';
    return {
      lists: histogramsOf(
        feature, figures => numbersOf(figures, feature.k)?.[key]).map(sharesOf),
      gap: 0.5,
      text: key === 'g' ? 'values, logarithmic' : 'values',
    };
  }
  const top = topShares(feature, 12);
  const covered = top.reduce((sum, [, sides]) =>
    sum + Math.max(...sides.map(found => found ? found.share : 0)), 0);
  if (covered > 0.1 && top.length > 1) {
    return {
      lists: feature.f.map(
        (_, side) => top.map(([, sides]) => sides[side]?.share || 0)),
      gap: 2,
      text: 'most frequent values',
    };
  }
  const lengths = histogramsOf(feature, figures => textsOf(figures)?.l?.[4]);
  if (!lengths.some(Boolean)) return null;
  return {lists: lengths.map(sharesOf), gap: 0.5, text: 'lengths'};
}

function sparkline(feature) {
  const shape = shapeOf(feature);
  if (!shape) return null;
  const [width, height] = [120, 24];
  return drawn(
    'svg', {
      class: shape.text === 'lengths' ? 'spark lengths' : 'spark',
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': `Histogram of ${shape.text}`,
    },
    drawn('title', {}, `Histogram of ${shape.text}`),
    ...shapes(scaled(shape.lists), width, height, shape.gap));
}

// Returns round numbers for the axis of a histogram; on a logarithmic scale,
// powers of ten.
function ticksOf({low, high, scale}) {
  if (low === high) return [low];
  if (scale) {
    const ticks = low <= 0 && high >= 0 ? [0] : [];
    const first = Math.floor(Math.log10(scale));
    const last = Math.ceil(Math.log10(Math.max(-low, high)));
    const step = Math.ceil((last - first) / 6) || 1;
    for (let power = last; power >= first; power -= step) {
      ticks.push(10 ** power, -(10 ** power));
    }
    return ticks.filter(tick => tick >= low && tick <= high);
  }
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(factor => factor * power >= rough) * power;
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; ++i) {
    // `|| 0` turns -0 into 0.
    ticks.push(i * step || 0);
  }
  return ticks;
}

// Returns a logarithmic scale for heights. It begins at half of the smallest
// share.
function logScale(lists) {
  const all = lists.flatMap(list => list || []).filter(share => share > 0);
  const ground = Math.min(...all) / 2;
  const span = Math.log10(Math.max(...all) / ground);
  const at = share => share > 0 ? Math.log10(share / ground) / span : 0;
  const ticks = [];
  for (let tick = 1; tick > ground; tick /= 10) {
    if (at(tick) <= 1) ticks.push(tick);
  }
  return {at, ticks};
}

function linearScale(lists) {
  const most = Math.max(...lists.flatMap(list => list || []), 1e-300);
  return {at: share => share / most, ticks: [most]};
}

function binText(histograms, names, i) {
  const shown = histograms.find(Boolean);
  const [from, to] = [shown.edge(i), shown.edge(i + 1)];
  const whole = shown.isWhole && to - from <= 1.001;
  const range = whole ? numberText(Math.round((from + to) / 2)) :
    `${numberText(from)} to ${numberText(to)}`;
  const counts = histograms.map((histogram, side) => histogram &&
    `${names ? `${names[side]}: ` : ''}` +
    `${numberText(histogram.counts[i])} ` +
    `(${shareText(histogram.counts[i], histogram.total)})`);
  return `${range}\n${counts.filter(Boolean).join('\n')}`;
}

// Returns a large histogram of one or two datasets with an axis below. `names`
// are the names of two datasets.
function chart(histograms, {isLog, label, names, unit = ''}) {
  const [width, height, left, bottom] = [350, 120, 46, 20];
  const shown = histograms.find(Boolean);
  const lists = histograms.map(sharesOf);
  const scale = isLog ? logScale(lists) : linearScale(lists);
  const heights = lists.map(list => list && list.map(scale.at));
  const plot = drawn(
    'g', {transform: `translate(${left} 8)`},
    ...scale.ticks.map(tick => drawn(
      'g', {class: 'tick',
            transform: `translate(0 ${height * (1 - scale.at(tick))})`},
      drawn('path', {d: `M0 0h${width}`}),
      drawn('text', {x: -6, y: 4, 'text-anchor': 'end'},
        shareText(tick, 1)))),
    ...shapes(heights, width, height, 1),
    drawn('path', {class: 'axis', d: `M0 ${height}h${width}`}),
    ...ticksOf(shown).map(tick => drawn(
      'text', {x: width * shown.at(tick), y: height + 16,
               'text-anchor': 'middle'},
      numberText(tick) + unit)));
  // The bin under the pointer shows its count.
  const step = width / shown.counts.length;
  shown.counts.forEach((_, i) => plot.append(drawn(
    'rect', {class: 'bin', x: i * step, y: 0, width: step, height},
    drawn('title', {}, binText(histograms, names, i)))));
  return drawn(
    'svg', {
      class: 'chart',
      viewBox: `0 0 ${left + width + 24} ${height + bottom + 8}`,
      role: 'img',
      'aria-label': label,
    },
    plot);
}
