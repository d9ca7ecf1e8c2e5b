// The view Scans, and what Live shows of the last scans.
import { bag, code, dateTime, debounce, english, get, h, newId, on, quiet, state, table, title, visible } from './api.js';
import { symbologyName, t } from './words.js';

const KINDS = { delivered: 'ok', done: 'ok', waiting: 'idle', dead: 'fault', notSent: 'idle' };

const deliveryState = (delivery) => state(KINDS[delivery.state] ?? 'idle',
  `${delivery.sink}: ${t(`delivery.${delivery.state}`)}`);

const deliveries = (scan) => h('ul', { class: 'plain deliveries' }, (scan.deliveries ?? []).map((delivery) =>
  h('li', null, deliveryState(delivery))));

const nameOf = (scan) => (scan.noRead ? t(`noRead.${scan.noRead}`) : visible(scan.hri || scan.text));
const kindOf = (scan) => (scan.noRead ? t('noRead') : symbologyName(scan.symbology));

const flags = (scan) => (scan.flags ?? []).map((flag) => h('span', { class: 'tag' }, flag === 'test' ? t('testScan') : flag));

const merged = (scans, scan, most) => {
  const others = scans.filter((other) => other.id !== scan.id);
  const index = scans.findIndex((other) => other.id === scan.id);
  if (index >= 0) return scans.map((other) => (other.id === scan.id ? scan : other));
  return [scan, ...others].slice(0, most);
};

const isWaiting = (scan) => (scan.deliveries ?? []).some((delivery) => delivery.state === 'waiting');

// Loads scans, and keeps them current by events and, while a delivery waits, by asking again.
const follow = (things, path, most, show) => {
  let scans = [];
  let isLoaded = false;
  const load = async () => {
    try {
      const answer = await get(path());
      [scans, isLoaded] = [answer.scans, true];
      show(scans);
    } catch (error) {
      if (!isLoaded) show(scans, error.message);
    }
  };
  things.add(on('scan', (scan) => {
    if (path().includes('search=')) load();
    else show(scans = merged(scans, scan, most));
  }));
  things.add(on('connection', load));
  things.every(3000, () => scans.some(isWaiting) && load());
  load();
  return load;
};

export const recentScans = (things) => {
  const list = h('ol', { class: 'plain recent', tabindex: '0', 'aria-label': t('lastScans') });
  const show = (scans, problem) => list.replaceChildren(...(scans.length ? scans.map((scan) => h('li', {
    class: scan.noRead ? 'unread' : '' }, h('div', { class: 'row between' }, h('strong', null, kindOf(scan)),
    h('time', { class: 'quiet', datetime: scan.captured }, dateTime(scan.captured))),
  h('p', { class: 'code' }, nameOf(scan), flags(scan)), deliveries(scan)))
    : [h('li', { class: 'quiet' }, problem ?? t('noScans'))]));
  follow(things, () => '/api/scans?limit=12', 12, show);
  return h('section', { class: 'panel', 'aria-label': t('lastScans') }, h('h2', null, t('lastScans')), list);
};

const pair = (name, ...value) => [h('dt', null, name), h('dd', null, value)];

const elementsTable = (scan) => [h('h3', null, t('gs1')), table(t('gs1'), ['AI', t('field'), t('value'), t('date')],
  scan.elements.map((element) => [`(${element.ai})`, english(element.title),
    code(visible(element.value)), element.date ?? '']))];

const words = (problem) => (typeof problem === 'string' ? problem
  : problem.message ?? Object.values(problem).join(' '));

const problemList = (scan) => [h('h3', null, t('problems')), h('ul', null, scan.problems.map((problem) =>
  h('li', { lang: 'en' }, words(problem))))];

const deliveryList = (scan) => [h('h3', null, t('deliveries')), h('ul', { class: 'plain' }, scan.deliveries.map((delivery) =>
  h('li', null, deliveryState(delivery), delivery.problem && h('p', { class: 'quiet', lang: 'en' }, delivery.problem))))];

// The record of a scan names its picture for ever; the station gives an address only while it keeps the file.
const picture = (scan) => {
  if (!scan.pictureURL) return scan.picture && quiet(t('pictureGone'));
  const image = h('img', { src: scan.pictureURL, alt: t('pictureOfScan') });
  image.addEventListener('error', () => image.replaceWith(quiet(t('pictureGone'))));
  return image;
};

const detail = (scan) => [
  picture(scan),
  h('dl', null, pair(t('text'), code(visible(scan.text))),
    scan.hri && pair(t('readable'), code(visible(scan.hri))),
    scan.hostText !== undefined && pair(t('hostText'), code(visible(scan.hostText))),
    pair(t('time'), dateTime(scan.captured)), scan.aim && pair(t('aimIdentifier'), scan.aim),
    scan.set && pair(t('set'), scan.set),
    pair(t('number'), `${scan.sequence}`), pair('ID', code(scan.id))),
  scan.elements?.length ? elementsTable(scan) : null,
  scan.problems?.length ? problemList(scan) : null,
  scan.deliveries?.length ? deliveryList(scan) : null];

const focusScan = (id) => id && document.querySelector(`button[data-id="${CSS.escape(id)}"]`)?.focus();

// What the list says may be old: the scan is asked for again by its id.
const present = (scan) => get(`/api/scans?search=${scan.id}&limit=1`).then(({ scans }) => scans[0] ?? scan, () => scan);

const openDetail = async (listed) => {
  const scan = await present(listed);
  const id = newId();
  const drawer = h('dialog', { class: 'drawer', 'aria-labelledby': id }, h('div', { class: 'row between' },
    h('h2', { id }, kindOf(scan)), h('button', { type: 'button', onclick: () => drawer.close() }, t('close'))), detail(scan));
  drawer.addEventListener('close', () => {
    drawer.remove();
    focusScan(scan.id);
  });
  drawer.addEventListener('click', (event) => event.target === drawer && drawer.close());
  document.body.append(drawer);
  drawer.showModal();
};

const cells = (scan) => [h('time', { datetime: scan.captured }, dateTime(scan.captured)),
  [scan.noRead ? state('warning', t('noRead')) : kindOf(scan), flags(scan)],
  h('button', { type: 'button', class: 'link code', 'data-id': scan.id, onclick: () => openDetail(scan) }, nameOf(scan)),
  deliveries(scan)];

export const show = (container) => {
  const things = bag();
  const search = h('input', { type: 'search', autocomplete: 'off', spellcheck: 'false' });
  const count = h('p', { class: 'quiet', role: 'status' });
  const csv = h('a', { class: 'button', download: '' }, t('csv'));
  const place = h('div');
  const head = [t('time'), t('kind'), t('content'), t('deliveries')];
  const query = (first) => (search.value ? `?search=${encodeURIComponent(search.value)}${first}` : first.replace('&', '?'));
  const showScans = (scans, problem) => {
    const { id } = document.activeElement.dataset;
    count.textContent = problem ?? t('countScans', { n: scans.length });
    csv.href = `/api/scans.csv${query('')}`;
    place.replaceChildren(table(t('nav.scans'), head, scans.map(cells), 'cards'));
    focusScan(id);
  };
  const load = follow(things, () => `/api/scans${query('&limit=200')}`, 200, showScans);
  search.addEventListener('input', debounce(250, load));
  container.append(title(t('nav.scans')), h('div', { class: 'row end' },
    h('label', { class: 'grow' }, t('searchScans'), search), csv), count, place);
  return things.leave;
};
