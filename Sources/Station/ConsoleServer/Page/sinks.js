// The view Sinks: where scans go, what waits, and what could not be delivered.
import { ask, bag, button, code, dateTime, english, get, h, may, number, on, post, problemText, quiet, row, setText,
  sleep, span, state, table, title, visible } from './api.js';
import { t } from './words.js';

const PHASES = { idle: 'ok', delivering: 'ok', retrying: 'warning', stuck: 'fault', parked: 'fault', stopped: 'idle' };

const path = (sink, action) => `/api/sinks/${encodeURIComponent(sink)}/${action}`;

// Follows a test scan until its fate is known, at most half a minute; returns it in words.
const followTest = async (sink, id, tell) => {
  tell(t('testSent'));
  for (let tries = 0; tries < 30; tries += 1) {
    await sleep(1000);
    const { scans } = await get('/api/scans?limit=100');
    const delivery = scans.find((scan) => scan.id === id)?.deliveries?.find((one) => one.sink === sink);
    if (delivery?.state === 'delivered') return t('testDelivered', { sink });
    if (delivery?.state === 'dead') return t('testFailed', { sink, problem: delivery.problem ?? '' });
    if (delivery?.problem) tell(t('testWaits', { problem: delivery.problem }));
  }
  return t('testStillWaits', { sink });
};

const setProblem = (element, sink) => {
  const words = [sink.problem, sink.remedy].filter(Boolean);
  if (element.dataset.words === words.join('\n')) return;
  element.dataset.words = words.join('\n');
  element.replaceChildren(...words.map((text, index) => (index ? h('p', { lang: 'en' }, text) : problemText(text))));
};

const card = (first, position, reload) => {
  const { name } = first;
  const says = h('p', { class: 'quiet', role: 'status' });
  const phase = h('p');
  const problem = h('div');
  const counts = h('p', { class: 'quiet' });
  const target = h('p', { class: 'code', lang: 'en' });
  const tell = (text) => setText(says, text);
  const test = async () => {
    const { id } = await post(path(name, 'test'));
    const words = await followTest(name, id, tell);
    tell(words);
    reload();
    return words;
  };
  const tryNow = async () => {
    tell((await post(path(name, 'retry'))).done);
    reload();
    return t('done');
  };
  const label = (text) => ({ 'aria-label': `${text}: ${name}` });
  const element = h('article', { class: 'panel', 'aria-label': name }, h('div', { class: 'row between' }, h('h2', null, name),
    h('span', { class: 'tag' }, first.kind)), phase, target, counts, problem,
  row(may('operate') && [button(t('test'), test, label(t('test'))),
    button(t('tryNow'), tryNow, label(t('tryNow')))],
  may('configure') && h('a', { class: 'button', href: `#configuration/sinks.${position}`, ...label(t('edit')) }, t('edit'))),
  says);
  const update = (sink) => {
    const text = sink.isHeldUp && sink.phase !== 'parked' ? t('heldUp') : t(`phase.${sink.phase}`);
    const kind = sink.isHeldUp ? 'fault' : PHASES[sink.phase] ?? 'idle';
    if (phase.dataset.text !== text + kind) phase.replaceChildren(state(kind, text));
    phase.dataset.text = text + kind;
    counts.className = sink.deadCount > 0 ? 'state warning' : 'quiet';
    setText(target, sink.target ?? '');
    setText(counts, t('sinkCounts', { delivered: number(sink.deliveredCount), waiting: number(sink.undeliveredCount),
      dead: number(sink.deadCount) }));
    setProblem(problem, sink);
  };
  update(first);
  return { element, update };
};

const outboxPanel = (outbox) => {
  const facts = [t('outbox.undelivered', { n: outbox.undeliveredCount }),
    outbox.oldestAgeSeconds > 0 && t('outbox.oldest', { age: span(outbox.oldestAgeSeconds) }),
    outbox.inMemoryCount > 0 && t('outbox.inMemory', { n: outbox.inMemoryCount }),
    outbox.discardedCount > 0 && t('outbox.discarded', { n: outbox.discardedCount }),
    outbox.refusedCount > 0 && t('outbox.refused', { n: outbox.refusedCount }),
    outbox.lostCount > 0 && t('outbox.lost', { n: outbox.lostCount })].filter(Boolean);
  const kind = { 'power-cut': 'ok', process: 'warning', memory: 'warning', refused: 'fault' }[outbox.durability];
  return [h('h2', null, t('outbox')), h('p', null, state(kind ?? 'idle', t(`durability.${outbox.durability}`))),
    h('p', null, facts.join(' · ')), outbox.trouble && problemText(outbox.trouble),
    outbox.remedy && h('p', { class: 'quiet', lang: 'en' }, outbox.remedy)];
};

const letterRow = (letter, reload) => {
  const act = (action) => async () => {
    const { done } = await post(path(letter.sink, `dead-letters/${action}`), { number: letter.number });
    reload();
    return done;
  };
  const giveUp = async () => ((await ask(t('askGiveUp'), t('giveUp'))) ? act('purge')() : undefined);
  const label = (text) => ({ 'aria-label': `${text}: ${letter.sink}, ${letter.number}` });
  return [letter.sink, code(letter.scan ? visible(letter.scan.text) : `#${letter.number}`),
    letter.failedAt ? dateTime(letter.failedAt) : '–', english(letter.reason),
    row(may('operate') && button(t('retry'), act('retry'), label(t('retry'))),
      may('configure') && button(t('giveUp'), giveUp, { class: 'danger', ...label(t('giveUp')) }))];
};

const deadLetters = () => {
  const heading = h('h2', { id: 'dead' }, t('deadLetters'));
  const section = h('section', { 'aria-labelledby': 'dead' }, heading);
  let shown;
  const reload = async () => {
    const { letters } = await get('/api/dead-letters');
    const key = JSON.stringify(letters);
    if (key === shown) return;
    shown = key;
    const head = [t('sink'), t('content'), t('failed'), t('reason'), t('actions')];
    section.replaceChildren(heading, quiet(letters.length ? t('deadLettersHelp')
      : t('noDeadLetters')), letters.length ? table(t('deadLetters'), head, letters.map((letter) => letterRow(letter, reload)),
      'cards') : '');
  };
  return { section, reload };
};

export const show = (container) => {
  const things = bag();
  const cards = new Map();
  const list = h('div', { class: 'grid' });
  const box = h('section', { class: 'panel', 'aria-label': t('outbox') });
  const removed = h('div');
  const dead = deadLetters();
  let shownOutbox;
  const update = ({ outbox, sinks, removedSinks }) => {
    if (shownOutbox !== JSON.stringify(outbox)) box.replaceChildren(...outboxPanel(outbox).filter(Boolean));
    shownOutbox = JSON.stringify(outbox);
    const names = sinks.map((sink) => sink.name);
    if (names.join('\n') !== [...cards.keys()].join('\n')) {
      cards.clear();
      sinks.forEach((sink, position) => cards.set(sink.name, card(sink, position, load)));
      list.replaceChildren(...[...cards.values()].map(({ element }) => element));
      if (!sinks.length) list.replaceChildren(h('p', null, t('noSinks')));
    }
    sinks.forEach((sink) => cards.get(sink.name).update(sink));
    removed.replaceChildren(...(removedSinks ?? []).map((sink) =>
      h('p', null, state('warning', t('removedSink', { n: sink.undeliveredCount, sink: sink.name })))));
  };
  const load = async () => {
    try {
      update(await get('/api/sinks'));
      await dead.reload();
    } catch (error) {
      if (!cards.size) list.replaceChildren(problemText(error.message));
    }
  };
  things.every(3000, load);
  things.add(on('connection', load));
  load();
  container.append(h('div', { class: 'row between' }, title(t('nav.sinks')),
    may('configure') && h('a', { class: 'button main', href: '#configuration/sinks.new' }, t('addSink'))), list, removed, box,
  dead.section);
  return things.leave;
};
