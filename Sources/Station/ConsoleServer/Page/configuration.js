// The views Configuration (as a form, as text, its history) and Rules (a test of what rules do with a code).
import { ask, bag, button, dateTime, debounce, differenceView, emit, english, get, h, newId, on, plainText, post,
  problemText, quiet, row, saveConfiguration, select, setText, sleep, stack, title } from './api.js';
import { symbologyName, t } from './words.js';

// The configuration as saved, and the unsaved changes to it: `formText` with `changes` gives `text`.
let draft = null;

const load = async () => {
  const base = await get('/api/configuration');
  draft = { base, text: base.text, formText: base.text, changes: new Map(), added: [], problems: [], last: null,
    isChecking: false, ticket: 0 };
};

const isChanged = () => draft && draft.text !== draft.base.text;
const isPending = () => isChanged() || draft.changes.size > 0 || draft.isChecking;
const hasText = () => draft.formText !== draft.base.text;
const valueOf = (name) => draft.base.values.find((value) => value.name === name);
const problemsOf = (error) => (error.problems?.length ? error.problems : [{ message: error.message }]);

const listen = new Set();
const changed = () => listen.forEach((action) => action());

const check = debounce(350, async (mine) => {
  const changes = [...mine.changes].map(([name, value]) => ({ name, value }));
  const ticket = mine.ticket += 1;
  let answer;
  try {
    answer = changes.length ? await post('/api/configuration/edit', { text: mine.formText, changes })
      : { text: mine.formText, ...await post('/api/configuration/check', { text: mine.formText }) };
  } catch (error) {
    answer = { text: mine.text, problems: problemsOf(error) };
  }
  if (mine !== draft || ticket !== mine.ticket) return;
  [mine.text, mine.problems, mine.isChecking] = [answer.text ?? mine.text, answer.problems, false];
  changed();
});

const checkSoon = () => {
  draft.isChecking = true;
  draft.ticket += 1;
  check(draft);
  changed();
};

const setChange = (name, value) => {
  const known = valueOf(name);
  const wasSet = (known?.origin ?? 'default') !== 'default';
  const isSame = !hasText() && value === (wasSet ? known.value : null);
  if (isSame) draft.changes.delete(name);
  else draft.changes.set(name, value);
  draft.last = name;
  checkSoon();
};

const setAll = (text) => {
  Object.assign(draft, { formText: text, text, last: null });
  draft.changes.clear();
  checkSoon();
};

// The problems that belong to a key: those that name it; those that name no changed key belong to the last change.
const problemsAt = (name) => draft.problems.filter(({ message }) => (message.includes(name) || (name === draft.last
  && ![...draft.changes.keys()].some((other) => message.includes(other)))));

const isNumber = (text) => text === '' || /^-?\d+(\.\d+)?$/.test(text);

const inputFor = (key, value, attributes, change) => {
  if (key.kind === 'flag') {
    return h('input', { type: 'checkbox', checked: value === 'true', ...attributes,
      onchange: (event) => change(`${event.target.checked}`) });
  }
  if (key.kind === 'choice' && key.choices) {
    const choices = [...new Set([key.default ? null : '', value, ...key.choices])].filter((choice) => choice !== null
      && (choice !== '' || !key.default)).map((choice) => [choice, choice || t('notSet')]);
    return select({ ...attributes, onchange: (event) => change(event.target.value || null) }, choices, value);
  }
  const isNumeric = ['integer', 'decimal'].includes(key.kind) && isNumber(value) && isNumber(key.default ?? '');
  const kind = key.isSecret ? 'password' : isNumeric ? 'number' : 'text';
  const entered = (event) => change(event.target.validity.badInput ? 'not a number' : event.target.value || null);
  const placeholder = key.isSecret && value ? '••••••' : key.default;
  return h('input', { type: kind, value: key.isSecret ? '' : value, placeholder, min: isNumeric ? key.minimum : null,
    max: isNumeric ? key.maximum : null, step: isNumeric ? 'any' : null, spellcheck: 'false', ...attributes, oninput: entered,
    autocomplete: key.isSecret ? 'new-password' : 'off' });
};

const originWords = (known) => {
  if (!known || known.origin === 'default') return t('originDefault');
  const line = /^line (\d+)$/.exec(known.origin);
  return line ? t('originLine', { line: line[1] }) : known.origin;
};

const keyRow = (key, name, rows) => {
  const [id, help, trouble] = [newId(), newId(), newId()];
  const known = valueOf(name);
  const current = draft.changes.has(name) ? draft.changes.get(name) : known?.value;
  const holder = h('div', { class: 'entry' });
  const problem = h('div', { id: trouble, 'aria-live': 'polite', lang: 'en' });
  const resetWords = t(key.default ? 'reset' : 'removeKey');
  const reset = button(resetWords, () => {
    setChange(name, null);
    fill(key.default ?? '');
  }, { class: 'link', 'aria-label': `${resetWords}: ${name}` });
  const fill = (value) => holder.replaceChildren(inputFor(key, value ?? key.default ?? '', { id,
    'aria-describedby': `${help} ${trouble}`, disabled: Boolean(draft.base.readOnly) }, (next) => setChange(name, next)));
  fill(current);
  const element = h('div', { class: 'key', 'data-name': name }, h('label', { for: id, class: 'code' }, name), holder,
    h('div', { id: help, class: 'quiet' }, english(key.summary), h('br'),
      english(key.values), ' · ', t('default'), ': ', h('code', null, key.default || '–'), ' · ',
      originWords(known)), problem, reset);
  const paint = () => {
    const words = problemsAt(name).map(({ message }) => message).join('\n');
    setText(problem, words);
    problem.className = words ? 'problem' : '';
    holder.firstChild.setAttribute('aria-invalid', words ? 'true' : 'false');
    element.classList.toggle('changed', draft.changes.has(name));
    reset.hidden = !draft.changes.has(name) && (!known || known.origin === 'default');
  };
  rows.push(paint);
  paint();
  return element;
};

// Splits `sinks[].webhook.url` and `text.<symbology>.form` at their first placeholder.
const split = (key) => {
  const parts = /^(.*?)(\[\]|\.<[^>]+>)\.?(.*)$/.exec(key.name);
  return parts && { prefix: parts[1], rest: parts[3], isList: parts[2] === '[]' };
};

const itemsOf = (prefix) => {
  const names = [...draft.base.values.filter(({ origin }) => origin !== 'default').map(({ name }) => name),
    ...draft.changes.keys()];
  const ids = names.filter((name) => name.startsWith(`${prefix}.`)).map((name) => name.slice(prefix.length + 1).split('.')[0]);
  return [...new Set([...ids, ...draft.added.filter((item) => item.prefix === prefix).map((item) => item.id)])];
};

const kindsOf = (keys, prefix) => [...new Set(keys.map((key) => key.section).filter((section) =>
  section.startsWith(`${prefix}[].`)).map((section) => section.slice(prefix.length + 3).split('.')[0]))];

const isSet = (name) => draft.changes.has(name) || (valueOf(name)?.origin ?? 'default') !== 'default';

const lazyDetails = (heading, make, isOpen, attributes = {}) => {
  const body = h('div');
  const fill = () => body.childElementCount || body.append(...make());
  const details = h('details', { ...attributes, ontoggle: () => details.open && fill() }, h('summary', null, heading), body);
  if (isOpen) {
    fill();
    details.open = true;
  }
  return details;
};

const itemForm = (prefix, id, keys, rows, again) => {
  const base = `${prefix}.${id}`;
  const added = draft.added.find((item) => item.prefix === prefix && item.id === id);
  const kinds = kindsOf(keys, prefix);
  const kind = added?.kind ?? kinds.find((name) => keys.some((key) => key.section === `${prefix}[].${name}`
    && isSet(`${base}.${split(key).rest}`)));
  const own = keys.filter(({ section }) => !kinds.length || section === `${prefix}[]` || section === `${prefix}[].${kind}`
    || section.startsWith(`${prefix}[].${kind}.`));
  const namesOf = (key) => (/\[\]|</.test(split(key).rest) ? draft.base.values.filter((value) => value.key === key.name
    && value.name.startsWith(`${base}.`)).map((value) => value.name) : [`${base}.${split(key).rest}`]);
  const all = own.flatMap((key) => namesOf(key).map((name) => [key, name]));
  const essential = own.find((key) => key.section !== `${prefix}[]`) ?? own[0];
  const isFirst = ([key, name]) => isSet(name) || key.isCommon || (added && key === essential);
  const [first, more] = [all.filter(isFirst), all.filter((pair) => !isFirst(pair))];
  const make = (pairs) => () => pairs.map(([key, name]) => keyRow(key, name, rows));
  const remove = async () => {
    if (!(await ask(t('askRemove', { name: base }), t('remove')))) return;
    [...draft.changes.keys()].filter((name) => name.startsWith(`${base}.`)).forEach((name) => draft.changes.delete(name));
    const isNew = draft.added.includes(added);
    draft.added = draft.added.filter((item) => item !== added);
    if (isNew) checkSoon();
    else setChange(base, null);
    again();
  };
  const isGone = draft.changes.get(base) === null;
  return h('fieldset', { class: 'item panel', id: `item-${base}`, tabindex: '-1' },
    h('legend', null, `${base}${kind ? ` · ${kind}` : ''}`), isGone ? h('p', null, t('willBeRemoved'))
      : [make(first)(), more.length ? lazyDetails(t('moreKeys', { n: more.length }), make(more), false) : null,
        button(t('remove'), remove, { class: 'danger', 'aria-label': `${t('remove')}: ${base}` })]);
};

const adder = (prefix, isList, keys, again) => {
  const kinds = isList ? kindsOf(keys, prefix) : [];
  const choice = kinds.length ? select({}, kinds.map((kind) => kind), kinds[0])
    : isList ? null : h('input', { type: 'text', autocomplete: 'off' });
  const add = () => {
    const ids = itemsOf(prefix);
    const id = isList ? `${ids.reduce((most, one) => Math.max(most, Number(one)), -1) + 1}` : choice.value.trim();
    if (!id) return;
    draft.added.push({ prefix, id, kind: kinds.length ? choice.value : undefined });
    again();
    document.getElementById(`item-${prefix}.${id}`)?.querySelector('input, select')?.focus();
  };
  return h('div', { class: 'row end' }, choice && h('label', null, t(kinds.length ? 'kind' : 'name'), choice),
    button(prefix === 'sinks' ? t('addSink') : t('addItem', { name: prefix }), add));
};

const sectionOf = (key) => key.name.split(/[.[]/)[0];

const sectionContent = (keys, matches, rows, again) => {
  const plain = keys.filter((key) => !split(key) && matches(key, key.name)).map((key) => keyRow(key, key.name, rows));
  const prefixes = [...new Set(keys.map(split).filter(Boolean).map(({ prefix }) => prefix))];
  const collections = prefixes.flatMap((prefix) => {
    const own = keys.filter((key) => split(key)?.prefix === prefix);
    const { isList } = split(own[0]);
    return [...itemsOf(prefix).map((id) => itemForm(prefix, id, own, rows, again)),
      draft.base.readOnly ? null : adder(prefix, isList, own, again)];
  });
  return [...plain, ...collections].filter(Boolean);
};

const formPane = (things, wanted) => {
  const rows = [];
  const list = h('div', { class: 'sections' });
  const search = h('input', { type: 'search', autocomplete: 'off', spellcheck: 'false' });
  const filter = select({}, ['common', 'changed', 'all'].map((name) => [name, t(`filter.${name}`)]), 'common');
  const open = new Set(wanted ? [wanted.split('.')[0]] : []);
  const show = () => {
    rows.length = 0;
    const words = search.value.trim().toLowerCase();
    const matches = (key, name) => (words ? `${name} ${key.summary}`.toLowerCase().includes(words)
      : filter.value === 'all' || (filter.value === 'changed' ? isSet(name) : key.isCommon || isSet(name)));
    const isShown = (key) => {
      const place = split(key);
      if (!place) return matches(key, key.name);
      if (words) return matches(key, key.name);
      return filter.value === 'all' || itemsOf(place.prefix).length > 0 || place.prefix === 'sinks';
    };
    const sections = [...new Set(draft.base.keys.filter(isShown).map(sectionOf))];
    list.replaceChildren(...sections.map((section) => {
      const keys = draft.base.keys.filter((key) => sectionOf(key) === section);
      const make = () => sectionContent(keys, matches, rows, show);
      const isOpen = open.has(section) || (words !== '' && sections.length < 9);
      return lazyDetails(h('h2', null, section), make, isOpen, { onclick: (event) => {
        if (!event.target.closest('summary')) return;
        if (event.currentTarget.open) open.delete(section);
        else open.add(section);
      } });
    }));
    if (!sections.length) list.replaceChildren(h('p', null, t('nothingFound')));
  };
  const paint = () => rows.forEach((one) => one());
  listen.add(paint);
  things.add(() => listen.delete(paint));
  search.addEventListener('input', debounce(200, show));
  filter.addEventListener('change', show);
  show();
  return [hasText() && h('p', { class: 'notice' }, t('textWasEdited')), h('div', { class: 'row end' },
    h('label', { class: 'grow' }, t('searchKeys'), search), h('label', null, t('shownKeys'), filter)), list].filter(Boolean);
};

const openItem = (wanted) => {
  if (wanted === 'sinks.new') {
    const sections = document.querySelector('.sections');
    [...sections.querySelectorAll('.row.end select')].at(-1)?.focus();
    return;
  }
  document.getElementById(`item-${wanted}`)?.focus();
};

const problemLines = (area) => {
  const list = h('ul', { class: 'plain', 'aria-live': 'polite' });
  const jump = (line) => {
    const lines = area.value.split('\n');
    const from = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(from, from + (lines[line - 1] ?? '').length);
    area.scrollTop = (line - 4) * parseFloat(getComputedStyle(area).lineHeight);
  };
  const paint = () => list.replaceChildren(...draft.problems.map(({ line, message }) => h('li', { class: 'problem' }, line
    ? h('button', { type: 'button', class: 'link', onclick: () => jump(line) }, t('line', { line })) : null,
  line ? ' ' : '', english(message))));
  return { list, paint };
};

const textPane = (things) => {
  const area = h('textarea', { spellcheck: 'false', autocapitalize: 'off', wrap: 'off', 'aria-label': t('yaml'), rows: 22,
    readOnly: Boolean(draft.base.readOnly), value: draft.text });
  const numbers = h('pre', { class: 'numbers', 'aria-hidden': 'true' });
  const { list, paint } = problemLines(area);
  const count = () => setText(numbers, area.value.split('\n').map((_, index) => index + 1).join('\n'));
  const repaint = () => {
    if (area.value !== draft.text && document.activeElement !== area) area.value = draft.text;
    count();
    paint();
  };
  area.addEventListener('input', () => setAll(area.value));
  area.addEventListener('scroll', () => { numbers.scrollTop = area.scrollTop; });
  listen.add(repaint);
  things.add(() => listen.delete(repaint));
  repaint();
  const file = h('input', { type: 'file', accept: '.yaml,.yml', class: 'hidden', tabindex: '-1', 'aria-hidden': 'true' });
  file.addEventListener('change', async () => {
    const [chosen] = file.files;
    if (chosen) setAll(await chosen.text());
    // The same file, corrected, can be chosen again.
    file.value = '';
  });
  return [row(h('span', { class: 'code quiet grow' }, draft.base.file),
    h('a', { class: 'button', href: '/api/configuration/file', download: '' }, t('download')),
    !draft.base.readOnly && button(t('upload'), () => file.click()), file), h('div', { class: 'editor' }, numbers, area), list];
};

const historyPane = () => {
  const place = h('div');
  const textOf = async (id) => ({ draft: draft.text, present: draft.base.text }[id]
    ?? (await get(`/api/configuration/history/${id}`)).text);
  const showAll = async () => {
    const { revisions } = await get('/api/configuration/history');
    const names = revisions.map((one) => [one.id, dateTime(one.savedAt) + (one.isCurrent ? ` (${t('current')})` : '')]);
    const isListed = revisions.some((one) => one.isCurrent);
    const choices = [isChanged() && ['draft', t('unsaved')], !isListed && ['present', t('presentText')], ...names].filter(Boolean);
    const [older, newer] = [select({}, choices, (choices[1] ?? choices[0])?.[0]), select({}, choices, choices[0]?.[0])];
    const result = h('div', { role: 'status' });
    const compare = async () => {
      const [before, after] = [await textOf(older.value), await textOf(newer.value)];
      result.replaceChildren(before === after ? h('p', null, t('noVisibleDifference')) : differenceView(before, after));
    };
    const restore = (one) => button(t('restore'), async () => {
      setAll((await get(`/api/configuration/history/${one.id}`)).text);
      return t('restored');
    }, { 'aria-label': `${t('restore')}: ${dateTime(one.savedAt)}` });
    place.replaceChildren(revisions.length ? '' : quiet(t('noFormerTexts')), h('ul', { class: 'plain lines' }, revisions.map((one, index) => h('li', { class: 'row between' },
      h('span', null, names[index][1]), one.isCurrent || draft.base.readOnly ? null : restore(one)))),
    choices.length > 1 ? h('div', { class: 'row end' }, h('label', null, t('compare'), older), h('label', null, t('with'), newer),
      button(t('compareNow'), compare)) : '', result);
  };
  showAll().catch((error) => place.replaceChildren(problemText(error.message)));
  return [place];
};

const review = () => {
  const id = newId();
  const dialog = h('dialog', { class: 'wide', 'aria-labelledby': id }, h('h2', { id }, t('changes')),
    differenceView(draft.base.text, draft.text), h('form', { method: 'dialog' }, h('button', null, t('close'))));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
};

const save = async () => {
  try {
    await saveConfiguration(draft.text, draft.base.revision);
  } catch (error) {
    if (!error.problems?.length) throw error;
    draft.problems = error.problems;
    changed();
    return t('cannotSave');
  }
  draft = null;
  return t('savedOnTrial');
};

const PROBLEMS_SHOWN = 3;

// A problem with the key that it belongs to.
const problemLine = ({ key, line, message }) => {
  const owner = key ?? [...draft.changes.keys()].find((name) => problemsAt(name).some((one) => one.message === message));
  const place = owner && !message.includes(owner) ? `${owner}: ` : !owner && line ? `${t('line', { line })} ` : '';
  return place + message.replaceAll('\n', ' ');
};

const pendingBar = (things, again) => {
  const words = h('p', { role: 'status' });
  const saveButton = button(t('save'), async () => {
    if (draft.problems.length || draft.isChecking) return t('cannotSave');
    const said = await save();
    if (!draft) again();
    return said;
  }, { class: 'main' });
  const discard = async () => {
    if (!(await ask(t('askDiscard'), t('discard')))) return;
    draft = null;
    again();
  };
  const list = h('ul', { class: 'plain problems', lang: 'en' });
  const bar = h('section', { class: 'pending', 'aria-label': t('unsaved') }, h('div', null, words, list), h('div', { class: 'row' },
    button(t('review'), review), saveButton, button(t('discard'), discard)));
  const paint = () => {
    const { problems, isChecking, changes } = draft;
    bar.hidden = !isPending();
    saveButton.disabled = problems.length > 0 || isChecking || !isChanged();
    // Beside the text, its problems are listed already.
    const lines = (changes.size ? problems : []).slice(0, PROBLEMS_SHOWN).map(problemLine).join('\n');
    if (list.dataset.lines !== lines) list.replaceChildren(...lines.split('\n').filter(Boolean).map((line) => h('li', { class: 'problem' }, line)));
    list.dataset.lines = lines;
    setText(words, isChecking ? t('checking') : problems.length ? t('problemsLeft', { n: problems.length })
      : changes.size ? t('changesReady', { n: changes.size }) : t('textReady'));
  };
  listen.add(paint);
  things.add(() => listen.delete(paint));
  paint();
  return bar;
};

const PANES = { form: formPane, text: textPane, history: historyPane };

const loadPatiently = async (isLeft) => {
  for (let tries = 0; ; tries += 1) {
    try {
      await load();
      return;
    } catch (error) {
      if (isLeft() || tries > 9 || (error.status && error.status < 500)) throw error;
      await sleep(1000);
    }
  }
};

export const show = (container, wanted) => {
  const things = bag();
  const pane = bag();
  const body = h('div', { class: 'stack' });
  let isLeft = false;
  let current = 'form';
  const tabs = Object.keys(PANES).map((name) => button(t(`pane.${name}`), () => turn(name), { 'data-pane': name }));
  const content = h('div', { class: 'stack' });
  const turn = (name, item) => {
    current = name;
    pane.leave();
    tabs.forEach((tab) => tab.setAttribute('aria-pressed', `${tab.dataset.pane === name}`));
    content.replaceChildren(...PANES[name](pane, item).filter(Boolean));
    pane.add(pendingBarPlaced());
  };
  const pendingBarPlaced = () => {
    const bar = bag();
    content.append(pendingBar(bar, again));
    return bar.leave;
  };
  const again = async () => {
    if (!draft) body.replaceChildren(quiet(t('loading')));
    try {
      if (!draft) await loadPatiently(() => isLeft);
      if (isLeft) return;
      body.replaceChildren(draft.base.readOnly ? h('p', { class: 'notice', lang: 'en' }, draft.base.readOnly) : '',
        h('div', { class: 'row tabs', role: 'group', 'aria-label': t('nav.configuration') }, tabs), content);
      turn(current, wanted);
      if (wanted) openItem(wanted);
      wanted = undefined;
    } catch (error) {
      if (!isLeft) body.replaceChildren(problemText(error.message), button(t('tryAgain'), again));
    }
  };
  const reload = () => {
    if (draft && isPending()) return;
    draft = null;
    again();
  };
  things.add(on('trialEnded', reload), pane.leave, () => { isLeft = true; });
  container.append(title(t('nav.configuration')), body);
  if (draft && !isPending()) draft = null;
  again();
  return things.leave;
};

const labelRow = (known, label, remove) => {
  const kind = select({}, known.map((name) => [name, symbologyName(name)]), label.symbology);
  const text = h('input', { type: 'text', value: label.text, autocomplete: 'off', spellcheck: 'false' });
  const element = h('div', { class: 'row end label' }, h('label', null, t('symbology'), kind),
    h('label', { class: 'grow' }, t('content'), text), button(t('remove'), () => remove(element)));
  element.read = () => ({ symbology: kind.value, text: text.value });
  return element;
};

const lineRow = ({ head, text }) => {
  const [isMatch, isMiss, isWarning] = [/^matches/.test(text), /^no:/.test(text), /^!/.test(text)];
  const mark = isMatch ? t('matches') : isMiss ? t('noMatch') : isWarning ? t('note') : '';
  const sign = isMatch ? '● ' : isWarning ? '▲ ' : isMiss ? '○ ' : '';
  return h('tr', { class: isMatch ? 'match' : '' }, h('th', { scope: 'row', lang: 'en' }, head ?? ''),
    h('td', { class: `state ${isMatch ? 'ok' : isWarning ? 'warning' : 'idle'}` }, sign, mark),
    h('td', { class: 'code', lang: 'en' }, text));
};

const rulesForm = (known, scans) => {
  const rows = h('div', { class: 'stack' });
  const result = h('div', { 'aria-live': 'polite' });
  const add = (label) => rows.append(labelRow(known.symbologies, label, (one) => one.remove()));
  const at = h('input', { type: 'time' });
  const unsaved = isChanged() && !draft.isChecking && !draft.problems.length ? h('input', { type: 'checkbox', checked: true }) : null;
  const usable = scans.filter((scan) => !scan.noRead && known.symbologies.includes(scan.symbology));
  const nameOf = (scan) => `${symbologyName(scan.symbology)}: ${plainText(scan.text.slice(0, 50))}`;
  const pick = select({ onchange: () => {
    const scan = usable.find((one) => one.id === pick.value);
    if (!scan) return;
    rows.replaceChildren();
    add({ symbology: scan.symbology, text: scan.text.replaceAll('\u001d', '^') });
  } }, [['', t('choose')], ...usable.map((scan) => [scan.id, nameOf(scan)])], '');
  const test = async () => {
    const body = { labels: [...rows.children].map((one) => one.read()).filter(({ text }) => text !== '') };
    if (!body.labels.length) throw new Error(t('enterContent'));
    if (at.value) body.at = at.value;
    if (unsaved?.checked) body.text = draft.text;
    try {
      const { lines } = await post('/api/rules/test', body);
      result.replaceChildren(h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('result') },
        h('table', { class: 'result' }, h('caption', null, t('result')), h('tbody', null, lines.map(lineRow)))));
    } catch (error) {
      result.replaceChildren(...problemsOf(error).map(({ message }) => problemText(message)));
    }
  };
  add({ symbology: known.symbologies.includes('ean13') ? 'ean13' : known.symbologies[0], text: '' });
  const form = h('form', { class: 'stack panel' }, usable.length ? h('label', null, t('fromLastScans'), pick) : null, rows,
    quiet(t('gs1Help')), h('div', { class: 'row end' }, button(t('addLabel'), () =>
      add({ symbology: known.symbologies[0], text: '' })), h('label', null, t('timeOfDay'), at),
    unsaved && h('label', { class: 'check' }, unsaved, t('withUnsaved')), h('button', { class: 'main' }, t('testRules'))));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    test().catch((error) => emit('say', { text: error.message, isProblem: true }));
  });
  return [quiet(known.rules.length ? t('countRules', { n: known.rules.length }) : t('noRules'),
    known.rules.length ? english(`: ${known.rules.join(', ')}`) : ''), form, result];
};

// The view Rules.
export const showRules = (container) => {
  const body = stack(quiet(t('loading')));
  const start = async () => {
    const [known, { scans }] = await Promise.all([get('/api/rules'), get('/api/scans?limit=20')]);
    body.replaceChildren(...rulesForm(known, scans));
  };
  const tryStart = () => start().catch((error) =>
    body.replaceChildren(problemText(error.message), button(t('tryAgain'), tryStart)));
  tryStart();
  container.append(title(t('nav.rules')), body);
  return () => {};
};
