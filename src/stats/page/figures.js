// Formats numbers for people, and makes elements. Here and elsewhere, names and
// values of the data enter the page through textContent alone.

const SVG = 'http://www.w3.org/2000/svg';
const CODE_DIGITS =
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

// Sets attributes and appends children. Children that are null or undefined are
// left out, as in element('td', {class: 'number'}, 'text', node, null).
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter(child => child != null));
  return node;
}

function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

const wholeFormat = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const shortFormat = new Intl.NumberFormat('en', {maximumSignificantDigits: 6});
const powerFormat = new Intl.NumberFormat(
  'en', {notation: 'scientific', maximumSignificantDigits: 4});

// Prints with a true minus sign, which is as wide as a plus.
function printed(format, value) {
  return format.format(value).replace('E', 'e').replaceAll('-', '−');
}

// Integers beyond 2^53 and infinities arrive as text.
function numberText(value) {
  if (value == null) return '';
  if (typeof value === 'string') {
    return /^-?\d+$/.test(value) ? printed(wholeFormat, BigInt(value)) : value;
  }
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e15)) {
    return printed(powerFormat, value);
  }
  return printed(magnitude >= 1e5 ? wholeFormat : shortFormat, value);
}

// Like ByteSize and ShareText of src/base/text/numbers.cc.
function sizeText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = 0;
  for (; bytes >= (unit ? 1023.95 : 1024); ++unit) bytes /= 1024;
  return `${unit ? bytes.toFixed(1) : bytes} ${units[unit]}`;
}

function shareText(part, whole) {
  if (part === whole) return '100%';
  if (part === 0 || !whole) return '0%';
  const share = part / whole;
  if (share > 0.999) return '>99.9%';
  return share < 0.001 ? '<0.1%' : `${(100 * share).toFixed(1)}%`;
}

function counted(count, noun) {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

// Decodes the counts that BinCodes of src/stats/page/bins.h wrote.
function decodeBins(codes) {
  const counts = [];
  for (let i = 0; i < codes.length; i += 2) {
    const code = 64 * CODE_DIGITS.indexOf(codes[i]) +
      CODE_DIGITS.indexOf(codes[i + 1]);
    counts.push(code === 0 ? 0 : Math.round(2 ** ((code - 1) / 64)));
  }
  return counts;
}

// Returns a histogram of the page's data: the counts, and where the bins are.
function histogramOf(coded) {
  if (!coded) return null;
  const [codes, low, high, scale = 0] = coded;
  const counts = decodeBins(codes);
  const place = value => scale ? Math.asinh(value / scale) : value;
  const unplace = at => scale ? scale * Math.sinh(at) : at;
  const start = place(low);
  const width = place(high) - start;
  return {
    counts,
    total: counts.reduce((sum, count) => sum + count, 0),
    low,
    high,
    scale,
    // `at` is the place of a value between low and high, from 0 to 1; `edge` is
    // the lower end of a bin.
    at: value => width > 0 ? (place(value) - start) / width : 0.5,
    edge: i => unplace(start + width * i / counts.length),
  };
}

const KINDS = ['unset', 'bytes', 'float', 'int64'];

// Returns the numbers or the bytes of one side of a feature; null if it has
// none. Of features with several kinds, the kind of the first record is
// preferred.
function numbersOf(figures, kind) {
  if (!figures) return null;
  const {i, x} = figures;
  return (KINDS[kind] === 'float' ? x || i : i || x) || null;
}

function textsOf(figures) {
  return figures && (figures.t || figures.c) || null;
}

// Returns the histograms of a feature, one for each side. Sides of different
// kinds have different bins, which cannot be compared, so only the first is
// kept.
function histogramsOf(feature, get) {
  const found = feature.f.map(figures => histogramOf(figures && get(figures)));
  const first = found.find(Boolean);
  return found.map(histogram => histogram && histogram.low === first.low &&
    histogram.high === first.high ? histogram : null);
}
