// The controls above the table, and the start of the script.

// Returns a button for each kind of features. The page shows the kinds whose
// buttons are pressed, or all kinds if none is.
function kindButtons(features, change) {
  const counts = new Map();
  for (const {k = 0} of features) counts.set(k, (counts.get(k) || 0) + 1);
  const chosen = new Set();
  const buttons = [...counts].sort(([a], [b]) => b - a).map(([kind, count]) => {
    const button = element(
      'button', {type: 'button', 'aria-pressed': false}, KINDS[kind], ' ',
      element('small', {}, numberText(count)));
    button.addEventListener('click', () => {
      if (!chosen.delete(kind)) chosen.add(kind);
      button.setAttribute('aria-pressed', chosen.has(kind));
      change();
    });
    return button;
  });
  return {chosen, buttons};
}

class Controls {
  constructor(features, show) {
    this.features = features;
    this.show = show;
    const change = () => this.apply();
    this.name = element('input', {
      type: 'search', placeholder: 'Filter by name',
      'aria-label': 'Filter features by name', autocomplete: 'off',
      spellcheck: 'false'});
    this.name.addEventListener('input', change);
    this.kinds = kindButtons(features, change);
    const remarked = features.filter(feature => feature.w).length;
    this.remarked = element(
      'button', {type: 'button', 'aria-pressed': false}, 'with remarks ',
      element('small', {}, numberText(remarked)));
    this.remarked.addEventListener('click', () => {
      this.remarked.setAttribute('aria-pressed', !this.isRemarked());
      change();
    });
    this.status = element('output', {'aria-live': 'polite'});
    this.node = element(
      'div', {class: 'controls'}, this.name,
      element('span', {class: 'choice', role: 'group', 'aria-label': 'Kinds'},
        ...this.kinds.buttons, remarked > 0 ? this.remarked : null),
      this.status);
  }

  isRemarked() {
    return this.remarked.getAttribute('aria-pressed') === 'true';
  }

  clear() {
    this.name.value = '';
    this.kinds.chosen.clear();
    for (const button of [...this.kinds.buttons, this.remarked]) {
      button.setAttribute('aria-pressed', false);
    }
    this.apply();
  }

  apply() {
    const wanted = this.name.value.toLowerCase();
    const {chosen} = this.kinds;
    const shown = this.features.filter(feature =>
      feature.n.toLowerCase().includes(wanted) &&
      (chosen.size === 0 || chosen.has(feature.k || 0)) &&
      (!this.isRemarked() || feature.w));
    const all = counted(this.features.length, 'feature');
    this.status.textContent = shown.length === this.features.length ? all :
      `${numberText(shown.length)} of ${all}`;
    this.show(shown);
  }
}

// Turns names in the remarks into buttons that open the row of their feature.
function linkRemarks(root, features, controls, table) {
  const byName = new Map(
    features.map(feature => [`${feature.s || ''} ${feature.n}`, feature]));
  for (const name of root.querySelectorAll('.remarks b')) {
    const isSteps = name.classList.contains('steps');
    const feature = byName.get(`${isSteps ? 1 : ''} ${name.textContent}`);
    if (!feature) continue;
    const button = element('button', {type: 'button', class: 'link'},
      element('bdi', {}, valueNode(name.textContent)));
    button.addEventListener('click', () => {
      controls.clear();
      table.goTo(feature);
    });
    name.replaceWith(button);
  }
}

function start(root) {
  const source = root.querySelector('script[type="application/json"]');
  const data = JSON.parse(source.textContent);
  const plain = root.querySelector('table.plain');
  const {features} = data;
  const isPage = root.localName === 'main';
  const holder = element('div', {class: 'holder'});
  const table = new FeatureTable(data, plain, isPage ? null : holder);
  const controls = new Controls(features, shown => table.show(shown));
  holder.append(table.table);
  plain.replaceWith(controls.node, holder);
  table.setSpans();
  controls.apply();
  linkRemarks(root, features, controls, table);
  addEventListener('beforeprint', () => table.drawAll());
}

// A notebook may have several pages in one document; each is started once.
for (const root of document.querySelectorAll('.headrace-stats')) {
  if (root.dataset.started) continue;
  root.dataset.started = 'yes';
  start(root);
}
