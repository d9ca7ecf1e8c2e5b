// The shell of the console: log-in, header, navigation, banners, and the way from an address to a view.
import { button, connect, emit, get, giveUpRequests, h, may, newId, on, post, problemText, refreshSession, request, row,
  select, setText, sleep, state, station, time } from './api.js';
import { language, languages, setLanguage, t } from './words.js';

const VIEWS = {
  live: ['look', () => import('./live.js').then((module) => module.show)],
  scans: ['look', () => import('./scans.js').then((module) => module.show)],
  sinks: ['look', () => import('./sinks.js').then((module) => module.show)],
  health: ['look', () => import('./health.js').then((module) => module.show)],
  aim: ['look', () => import('./live.js').then((module) => module.showAim)],
  configuration: ['configure', () => import('./configuration.js').then((module) => module.show)],
  rules: ['configure', () => import('./configuration.js').then((module) => module.showRules)],
  setup: ['configure', () => import('./setup.js').then((module) => module.show)],
};

const COMMANDS = ['open', 'trigger', 'confirm', 'next', 'cancel', 'torch', 'turn', 'disable', 'enable'];
const TWINS = { 'torch-on': 'torch', 'torch-off': 'torch' };

let leaveView = () => {};
let disconnect = null;
let cleanUps = [];
let ticket = 0;

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

const applyTheme = () => {
  const theme = localStorage.getItem('theme');
  document.documentElement.dataset.theme = ['light', 'dark'].includes(theme) ? theme : prefersDark.matches ? 'dark' : 'light';
};

const settings = () => {
  const theme = select({ onchange: () => {
    localStorage.setItem('theme', theme.value);
    applyTheme();
  } }, ['auto', 'light', 'dark'].map((name) => [name, t(`theme.${name}`)]), localStorage.getItem('theme') ?? 'auto');
  const tongue = select({ onchange: () => {
    setLanguage(tongue.value);
    render();
    document.querySelector('.settings summary')?.focus();
  } }, languages, language());
  const logOut = async () => {
    // What is still asked would be refused.
    tidy();
    hangUp();
    try {
      await post('/api/logout');
      await refreshSession();
    } finally {
      render();
    }
  };
  const menu = h('details', { class: 'settings' }, h('summary', { class: 'button' }, t('settings')),
    h('div', { class: 'menu stack' }, h('label', null, t('language'), tongue), h('label', null, t('theme'), theme),
    station.session?.wantsLogin && station.session.role ? button(t('logOut'), logOut) : null,
    station.session?.version ? h('p', { class: 'quiet' }, `Reticle ${station.session.version}`) : null));
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
  menu.addEventListener('focusout', (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  return menu;
};

const commandButtons = () => {
  const group = h('div', { class: 'commands', role: 'group', 'aria-label': t('commands') });
  let shown = '';
  const give = (name) => async () => {
    await post(`/api/commands/${name}`);
    return t('commandDone', { command: t(`command.${name}`) });
  };
  const update = () => {
    const { commands = [], session, torch, screen } = station.status ?? {};
    const isIdle = { torch: torch === 'unavailable', 'torch-on': torch === 'unavailable', 'torch-off': torch === 'unavailable',
      next: !screen, turn: !screen, enable: session !== 'disabled', disable: session === 'disabled' };
    const listed = commands.filter((name) => !isIdle[name]);
    const names = [...COMMANDS.filter((name) => listed.includes(name)), ...Object.keys(TWINS).filter((name) =>
      listed.includes(name) && !listed.includes(TWINS[name]))];
    if (names.join() === shown) return;
    shown = names.join();
    const { name: focused } = document.activeElement;
    group.replaceChildren(...names.map((name) => button(t(`command.${name}`), give(name), { name })));
    const other = { enable: 'disable', disable: 'enable' }[focused] ?? focused;
    if (focused) group.querySelector(`[name="${focused}"], [name="${other}"]`)?.focus();
  };
  update();
  return { group: may('operate') ? group : null, update };
};

const statusWords = () => {
  const { status, lostSince } = station;
  if (lostSince) return ['idle', t('stateUnknown')];
  if (!status) return ['idle', t('loading')];
  return status.ready ? ['ok', t('ready')] : ['fault', t('notReady')];
};

const header = () => {
  const name = h('strong', { class: 'name' });
  const condition = h('div', { role: 'status' });
  const more = h('div', { class: 'quiet more' });
  const troubles = h('ul', { class: 'plain troubles', lang: 'en' });
  const commands = commandButtons();
  let shown = '';
  const update = () => {
    const [kind, text] = statusWords();
    const { status } = station;
    setText(name, status?.station ?? station.session?.station ?? 'Reticle');
    if (shown !== kind + text) condition.replaceChildren(state(kind, text));
    shown = kind + text;
    setText(more, status?.session ? t(`session.${status.session}`) : '');
    const list = status?.troubles ?? [];
    if (troubles.dataset.list !== list.join('\n')) {
      troubles.dataset.list = list.join('\n');
      troubles.replaceChildren(...list.map((trouble) => h('li', { class: 'problem' }, trouble)));
    }
    commands.update();
  };
  update();
  cleanUps.push(on('status', update), on('connection', update));
  return h('header', null, h('div', { class: 'top' }, h('div', { class: 'who' }, name, condition, more), settings()),
    commands.group ?? '', troubles);
};

const connectionBanner = () => {
  const banner = h('div', { role: 'alert' });
  const update = () => {
    const { lostSince } = station;
    document.body.classList.toggle('lost', Boolean(lostSince));
    banner.className = lostSince ? 'banner fault' : '';
    banner.textContent = lostSince ? `■ ${t('lost', { time: time(lostSince) })}` : '';
  };
  update();
  cleanUps.push(on('connection', update));
  return banner;
};

let pollTimer = null;
let trialEnd = 0;

const pollTrial = async () => {
  try {
    const trial = await get('/api/configuration/trial');
    if (station.trial.state === 'running') emit('trial', trial);
  } catch (error) {
    if (error.status === 401) station.trial = { state: 'none' };
    else pollTimer = setTimeout(pollTrial, 2000);
  }
};

const followTrial = (trial) => {
  const wasRunning = station.trial.state === 'running';
  station.trial = trial;
  clearTimeout(pollTimer);
  if (trial.state === 'running') {
    trialEnd = Date.now() + (trial.secondsLeft ?? 30) * 1000;
    pollTimer = setTimeout(pollTrial, 2000);
  } else if (wasRunning) emit('trialEnded', trial);
};

// While a station starts over, its console does not answer for a moment.
const patiently = async (ask) => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries > 19 || (error.status && error.status !== 503)) throw error;
      await sleep(500);
    }
  }
};

const trialBanner = () => {
  const words = h('span');
  const left = h('span', { role: 'timer', 'aria-live': 'off' });
  const undo = button(t('undoNow'), async () => {
    await patiently(() => post('/api/configuration/undo'));
    emit('trial', await patiently(() => get('/api/configuration/trial')));
  });
  const close = button(t('close'), () => emit('trial', { state: 'none' }));
  const reason = h('span', { lang: 'en' });
  const banner = h('section', { 'aria-label': t('trial') }, h('div', { role: 'status' }, words, ' ', reason), left,
    row(undo, close));
  const tick = () => {
    const seconds = Math.max(0, Math.ceil((trialEnd - Date.now()) / 1000));
    if (station.trial.state === 'running') left.textContent = t('trialLeft', { n: seconds });
  };
  const update = () => {
    const { trial } = station;
    const isRunning = trial.state === 'running';
    banner.hidden = !trial.state || trial.state === 'none';
    banner.className = `trial banner ${trial.state === 'rolledBack' ? 'fault' : trial.state === 'kept' ? 'ok' : 'warning'}`;
    setText(words, banner.hidden ? '' : t(`trial.${trial.state}`));
    setText(reason, trial.state === 'rolledBack' ? trial.problem ?? '' : '');
    [undo.hidden, left.hidden, close.hidden] = [!isRunning, !isRunning, isRunning];
    tick();
  };
  update();
  const timer = setInterval(tick, 500);
  cleanUps.push(on('trial', update), () => clearInterval(timer));
  return may('configure') ? banner : null;
};

const toast = () => {
  const place = h('div', { class: 'toast', 'aria-live': 'polite' });
  let timer;
  const say = ({ text, isProblem, lang }) => {
    clearTimeout(timer);
    place.replaceChildren(h('p', { lang, class: isProblem ? 'fault' : '' }, `${isProblem ? '■' : '●'} ${text}`));
    timer = setTimeout(() => place.replaceChildren(), isProblem ? 15000 : 6000);
  };
  cleanUps.push(on('say', say), () => clearTimeout(timer));
  return place;
};

// The set-up in steps is for a station without a configuration; later, each part has a view of its own.
const allowed = () => Object.keys(VIEWS).filter((name) => may(VIEWS[name][0])
  && (name !== 'setup' || station.session.firstStart || document.querySelector('.view[data-view="setup"]')));

const MAIN = ['live', 'scans', 'sinks', 'health'];

const navigation = () => {
  const list = h('ul', { class: 'plain', id: newId() }, allowed().map((name) =>
    h('li', { class: MAIN.includes(name) ? '' : 'extra' }, h('a', { href: `#${name}`, 'data-view': name }, t(`nav.${name}`)))));
  const nav = h('nav', { 'aria-label': t('views') }, list);
  const open = () => toggle.setAttribute('aria-expanded', `${nav.classList.toggle('open')}`);
  const toggle = h('button', { type: 'button', class: 'extras', 'aria-expanded': 'false', 'aria-controls': list.id,
    onclick: open }, t('more'));
  nav.append(toggle);
  return nav;
};

const route = () => {
  const [view, argument] = decodeURIComponent(location.hash.slice(1)).split('/');
  const first = station.session.firstStart && may('configure') ? 'setup' : 'live';
  return [allowed().includes(view) ? view : first, argument];
};

const openView = async (moveFocus) => {
  const main = document.querySelector('main');
  if (!main) return;
  const mine = ticket += 1;
  const [view, argument] = route();
  leaveView();
  leaveView = () => {};
  const place = h('div', { class: 'view', 'data-view': view });
  main.replaceChildren(place);
  window.scrollTo(0, 0);
  document.title = `${t(`nav.${view}`)} – ${station.session.station} – Reticle`;
  document.querySelectorAll('nav a').forEach((link) => {
    if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  });
  document.querySelector('nav').classList.remove('open');
  document.querySelector('.extras').setAttribute('aria-expanded', 'false');
  try {
    const show = await VIEWS[view][1]();
    if (mine !== ticket) return;
    leaveView = show(place, argument);
    if (moveFocus && !place.contains(document.activeElement)) place.querySelector('h1')?.focus();
  } catch (error) {
    if (mine === ticket) place.replaceChildren(problemText(error.message));
  }
};

const login = () => {
  const [id, trouble] = [newId(), newId()];
  const input = h('input', { id, type: 'password', autocomplete: 'current-password', required: true,
    'aria-describedby': trouble });
  const problem = h('p', { id: trouble, role: 'alert', lang: 'en' });
  const { firstStart } = station.session;
  const form = h('form', { class: 'stack' }, h('label', { for: id }, t(firstStart ? 'code' : 'token')), input,
    h('p', { class: 'quiet' }, t(firstStart ? 'whereCode' : 'whereToken')), problem,
    h('button', { class: 'main' }, t('logIn')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      station.session = await request('POST', '/api/login', { token: input.value });
      render();
    } catch (error) {
      problem.className = 'problem';
      problem.textContent = error.message;
      input.select();
    }
  });
  const heading = t('logInTo', { station: station.session.station ?? 'Reticle' });
  return h('main', { class: 'login' }, h('h1', null, heading), form);
};

const tidy = () => {
  leaveView();
  leaveView = () => {};
  cleanUps.forEach((action) => action());
  cleanUps = [];
};

const hangUp = () => {
  disconnect?.();
  disconnect = null;
  giveUpRequests();
};

const render = () => {
  tidy();
  document.documentElement.lang = language();
  if (!station.session.role) {
    hangUp();
    document.title = `${t('logIn')} – Reticle`;
    document.body.replaceChildren(h('header', null, h('div', { class: 'top' }, h('strong', { class: 'name' },
      station.session.station ?? 'Reticle'), settings())), login());
    document.querySelector('input')?.focus();
    return;
  }
  const main = h('main', { id: 'main', tabindex: '-1' });
  const skip = h('a', { class: 'skip', href: '#main', onclick: (event) => {
    event.preventDefault();
    main.focus();
  } }, t('skip'));
  document.body.replaceChildren(skip, header(), navigation(), h('div', { class: 'content' }, connectionBanner(),
    trialBanner() ?? '', main), toast());
  disconnect ??= connect();
  openView(false);
};

const start = async () => {
  applyTheme();
  document.documentElement.lang = language();
  try {
    await refreshSession();
    render();
  } catch (error) {
    document.body.replaceChildren(h('main', { class: 'login' }, h('h1', null, 'Reticle'), problemText(error.message)));
    setTimeout(start, 3000);
  }
};

prefersDark.addEventListener('change', applyTheme);
on('trial', followTrial);
on('session', () => document.querySelector('body > header') && render());
on('loggedOut', () => {
  if (!station.session?.role) return;
  station.session.role = null;
  render();
});
window.addEventListener('hashchange', () => openView(true));
start();
