// Talks to the station, and holds the small tools that every view shares: DOM building, requests, events, differences.
import { language, locale, t } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';

const isProperty = (name) => ['value', 'checked', 'disabled', 'open', 'selected', 'readOnly'].includes(name);

const setAttribute = (element, name, value) => {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
  else if (isProperty(name)) element[name] = value;
  else element.setAttribute(name, value === true ? '' : value);
};

const build = (element, attributes, children) => {
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  for (const [name, value] of Object.entries(attributes ?? {})) setAttribute(element, name, value);
  return element;
};

export const h = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => build(document.createElementNS(SVG, tag), attributes, children);

let lastId = 0;
export const newId = () => `n${lastId += 1}`;

// Replaces children only if the content changed, so that screen readers and the focus are left alone.
export const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

const bus = new EventTarget();
export const emit = (name, detail) => bus.dispatchEvent(new CustomEvent(name, { detail }));
export const on = (name, action) => {
  const listener = (event) => action(event.detail);
  bus.addEventListener(name, listener);
  return () => bus.removeEventListener(name, listener);
};

// Gathers the clean-up actions of a view.
export const bag = () => {
  const actions = [];
  const every = (milliseconds, action) => {
    const timer = setInterval(() => document.hidden || action(), milliseconds);
    actions.push(() => clearInterval(timer));
  };
  return { add: (...more) => actions.push(...more), every, leave: () => actions.splice(0).forEach((action) => action()) };
};

export const debounce = (milliseconds, action) => {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
};

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// What the page knows of the station.
export const station = { session: null, status: null, lostSince: null, lastContact: null, trial: { state: 'none' } };

export const may = (role) => {
  const roles = ['look', 'operate', 'configure'];
  return roles.indexOf(station.session?.role) >= roles.indexOf(role);
};

export class StationError extends Error {
  constructor(status, message, problems = []) {
    super(message);
    Object.assign(this, { status, problems });
  }
}

const noteContact = () => {
  station.lastContact = new Date();
  if (!station.lostSince) return;
  station.lostSince = null;
  emit('connection');
};

const noteLoss = () => {
  if (station.lostSince) return;
  station.lostSince = station.lastContact ?? new Date();
  emit('connection');
};

let underWay = new AbortController();

export const giveUpRequests = () => {
  underWay.abort();
  underWay = new AbortController();
};

export const request = async (method, path, body, within = 15000) => {
  const headers = { Accept: 'application/json' };
  if (body) {
    headers['Content-Type'] = 'application/json';
    headers['X-Reticle-CSRF'] = station.session?.csrf ?? '';
  }
  const { signal } = underWay;
  const response = await fetch(path, { method, headers, body: JSON.stringify(body), cache: 'no-store',
    signal: AbortSignal.any([AbortSignal.timeout(within), signal]) }).catch(() => {
    if (!signal.aborted) noteLoss();
    throw new StationError(0, t('noAnswer'));
  });
  const answer = await response.json().catch(() => ({}));
  noteContact();
  if (response.ok) return answer;
  if (response.status === 401 && path !== '/api/login') emit('loggedOut');
  throw new StationError(response.status, answer.error ?? t('refused', { status: response.status }), answer.problems);
};

export const get = (path) => request('GET', path);
export const post = (path, body = {}) => request('POST', path, body);

export const refreshSession = async () => {
  const session = await get('/api/session');
  const before = station.session?.role;
  station.session = session;
  if (before !== session.role) emit('session');
  return session;
};

const takeStatus = (status) => {
  station.status = status;
  if (status.trial && status.trial.state === 'running' && station.trial.state !== 'running') emit('trial', status.trial);
  emit('status', status);
};

const listen = (failed) => {
  const source = new EventSource('/api/events');
  source.addEventListener('open', () => refreshSession().catch(() => {}));
  source.addEventListener('error', failed);
  source.addEventListener('scan', (event) => emit('scan', JSON.parse(event.data)));
  source.addEventListener('state', (event) => {
    noteContact();
    takeStatus(JSON.parse(event.data));
  });
  return source;
};

// Keeps the events and a slow heartbeat going; returns how to stop. The heartbeat sees a network that is silently gone.
export const connect = () => {
  let busy = false;
  const beat = async () => {
    if (busy) return;
    busy = true;
    try {
      takeStatus(await request('GET', '/api/status', undefined, 5000));
      if (source.readyState === EventSource.CLOSED) source = listen(beat);
    } catch { /* The banner says it. */ } finally {
      busy = false;
    }
  };
  let source = listen(beat);
  beat();
  const timer = setInterval(() => document.hidden || beat(), 4000);
  const seen = () => document.hidden || beat();
  document.addEventListener('visibilitychange', seen);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', seen);
    source.close();
  };
};

// Saves a configuration; the shell then shows the trial.
export const saveConfiguration = async (text, revision) => {
  const trial = await request('PUT', '/api/configuration', { text, revision });
  emit('trial', trial);
  return trial;
};

export const number = (value, digits = 0) => value.toLocaleString(locale(),
  { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const time = (date) => new Date(date).toLocaleTimeString(locale());

export const dateTime = (date) => {
  const moment = new Date(date);
  if (Number.isNaN(moment.getTime())) return '–';
  return moment.toDateString() === new Date().toDateString() ? time(moment)
    : moment.toLocaleString(locale(), { dateStyle: 'short', timeStyle: 'medium' });
};

export const gigabytes = (count) => `${number(count / 1e9, 1)} GB`;

export const span = (seconds) => {
  if (seconds < 120) return `${number(seconds)} s`;
  if (seconds < 7200) return `${number(seconds / 60)} min`;
  return seconds < 172800 ? `${number(seconds / 3600)} h` : `${number(seconds / 86400)} d`;
};

const CONTROLS = ('NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC '
  + 'FS GS RS US').split(' ');
// Characters that show nothing or turn the direction of a line: anybody can print them on a label.
const HIDDEN = { '\u007f': 'DEL', '\u00ad': 'SHY', '\u061c': 'ALM', '\u200b': 'ZWSP', '\u200c': 'ZWNJ', '\u200d': 'ZWJ',
  '\u200e': 'LRM', '\u200f': 'RLM', '\u2028': 'LS', '\u2029': 'PS', '\u202a': 'LRE', '\u202b': 'RLE', '\u202c': 'PDF',
  '\u202d': 'LRO', '\u202e': 'RLO', '\u2066': 'LRI', '\u2067': 'RLI', '\u2068': 'FSI', '\u2069': 'PDI', '\ufeff': 'BOM' };
const UNSEEN = /([\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff])/;

const nameOfUnseen = (character) => CONTROLS[character.charCodeAt(0)] ?? HIDDEN[character]
  ?? `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

// A text with its control characters made visible, isolated from the direction of the text around it.
export const visible = (text) => h('bdi', null, (text ?? '').split(UNSEEN).map((part, index) => (index % 2
  ? h('span', { class: 'control' }, nameOfUnseen(part)) : part)));

// The same in one line, where there is no room for markup.
export const plainText = (text) => (text ?? '').split(UNSEEN).map((part, index) =>
  (index % 2 ? `‹${nameOfUnseen(part)}›` : part)).join('');

// A table of rows of cells; as `cards`, a phone shows each row below the other.
export const table = (label, head, rows, kind) => h('table', { class: kind, role: 'table', 'aria-label': label },
  h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head.map((text) =>
    h('th', { scope: 'col', role: 'columnheader' }, text)))),
  h('tbody', { role: 'rowgroup' }, rows.map((row) => h('tr', { role: 'row' }, row.map((cell, index) =>
    h('td', { role: 'cell', 'data-name': head[index] }, cell))))));

export const row = (...children) => h('div', { class: 'row' }, children);
export const stack = (...children) => h('div', { class: 'stack' }, children);
export const code = (...text) => h('span', { class: 'code' }, text);
export const english = (text) => h('span', { lang: 'en' }, text);
export const quiet = (...text) => h('p', { class: 'quiet' }, text);
export const title = (text) => h('h1', { tabindex: '-1' }, text);
export const problemText = (text) => h('p', { class: 'problem', lang: 'en' }, text);
export const state = (kind, text, attributes) => {
  const signs = { ok: '●', warning: '▲', fault: '■', idle: '○' };
  return h('span', { class: `state ${kind}`, ...attributes }, h('span', { 'aria-hidden': 'true' }, signs[kind]), ' ', text);
};

// Runs an action of a button: the button waits, and the result is told to everybody.
export const button = (text, action, attributes = {}) => {
  const run = async () => {
    if (element.getAttribute('aria-disabled') === 'true') return;
    element.setAttribute('aria-disabled', 'true');
    try {
      const said = await action(element);
      if (typeof said === 'string') emit('say', { text: said });
    } catch (error) {
      emit('say', { text: error.message, isProblem: true, lang: error.status ? 'en' : null });
    }
    element.removeAttribute('aria-disabled');
  };
  const element = h('button', { type: 'button', ...attributes, onclick: run }, text);
  return element;
};

export const select = (attributes, choices, chosen) => h('select', attributes, choices.map((choice) => {
  const [value, text] = Array.isArray(choice) ? choice : [choice, choice];
  return h('option', { value, selected: value === chosen }, text);
}));

// A question with two answers in a dialog; resolves to true if it was confirmed.
export const ask = (question, yes) => new Promise((resolve) => {
  const id = newId();
  const answer = h('dialog', { 'aria-labelledby': id },
    h('form', { method: 'dialog' }, h('p', { id }, question), row(
      h('button', { value: 'no' }, t('cancel')), h('button', { value: 'yes', class: 'danger' }, yes))));
  answer.addEventListener('close', () => {
    answer.remove();
    resolve(answer.returnValue === 'yes');
  });
  document.body.append(answer);
  answer.showModal();
});

// The difference of two lists of lines, by their longest common part: [' ' | '-' | '+', line].
const difference = (a, b) => {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  const lines = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push([' ', a[i]]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && table[i + 1][j] >= table[i][j + 1])) {
      lines.push(['-', a[i]]);
      i += 1;
    } else {
      lines.push(['+', b[j]]);
      j += 1;
    }
  }
  return lines;
};

// Cuts long common stretches to three lines.
const shorten = (lines) => {
  const near = (index) => lines.slice(Math.max(0, index - 3), index + 4).some(([sign]) => sign !== ' ');
  const kept = [];
  lines.forEach((line, index) => {
    if (near(index)) kept.push(line);
    else if (kept.at(-1)?.[0] !== '…') kept.push(['…', '']);
  });
  return kept;
};

export const differenceView = (before, after) => {
  const names = { '-': t('removed'), '+': t('added') };
  const lines = shorten(difference(before.split('\n'), after.split('\n'))).map(([sign, line]) =>
    h('span', { class: `line ${sign}` }, names[sign] && h('span', { class: 'hidden' }, `${names[sign]}: `), `${sign} ${line}\n`));
  return before !== after ? h('pre', { class: 'difference', tabindex: '0', 'aria-label': t('changes'), role: 'region' }, lines)
    : h('p', null, t('noDifference'));
};
