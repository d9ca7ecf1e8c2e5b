// The view Health: findings with their remedies, the machine, and plots of the last hour and day.
import { bag, button, gigabytes, english, get, h, number, on, problemText, s, span, state, table, time, title } from './api.js';
import { t } from './words.js';

const copy = (text) => async () => {
  if (!navigator.clipboard) throw new Error(t('copyByHand'));
  await navigator.clipboard.writeText(text);
  return t('copied');
};

const isCommand = (text) => /^(sudo|reticle|systemctl|journalctl|cat|ls|apt|nmcli|timedatectl|vcgencmd)\b/.test(text);

const remedy = (text) => (isCommand(text)
  ? h('div', { class: 'command' }, h('code', { lang: 'en' }, text),
    button(t('copy'), copy(text), { 'aria-label': `${t('copy')}: ${text}` }))
  : h('p', { class: 'quiet', lang: 'en' }, text));

const finding = (one) => h('li', { class: 'finding' }, state(one.state, english(one.summary)),
  h('span', { class: 'tag', lang: 'en' }, one.area), one.remedy && one.remedy.split('\n').map(remedy));

const findingGroups = (findings) => ['fault', 'warning', 'ok'].map((kind) => {
  const members = findings.filter((one) => one.state === kind);
  if (!members.length) return null;
  const list = h('ul', { class: 'plain' }, members.map(finding));
  const heading = t(`findings.${kind}`, { n: members.length });
  return kind === 'ok' ? h('details', null, h('summary', null, h('h3', null, heading)), list)
    : h('section', null, h('h3', null, heading), list);
});

const figure = (name, value) => h('div', { class: 'stat' }, h('dt', null, name), h('dd', null, value));

const machineFigures = (machine) => h('dl', { class: 'stats' }, [
  machine.temperatureCelsius !== undefined && figure(t('temperature'), `${number(machine.temperatureCelsius, 1)} °C`),
  machine.powerWatts !== undefined && figure(t('power'), `${number(machine.powerWatts, 1)} W`),
  machine.throttling && figure(t('throttling'), machine.throttling.length
    ? english(machine.throttling.join(', ')) : t('none')),
  machine.freeByteCount !== undefined && figure(t('disk'), t('freeOf', { free: gigabytes(machine.freeByteCount),
    total: gigabytes(machine.totalByteCount) })),
  machine.memoryAvailableByteCount !== undefined && figure(t('memory'), gigabytes(machine.memoryAvailableByteCount)),
  machine.clockSynchronized !== undefined && figure(t('clock'), t(machine.clockSynchronized ? 'clockRight' : 'clockFree')),
  machine.load !== undefined && figure(t('load'), number(machine.load, 2)),
  machine.upSeconds !== undefined && figure(t('running'), span(machine.upSeconds))]);

const SERIES = ['scans', 'noSymbol', 'badSymbol', 'milliseconds'];

const summary = (name, values) => {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (name !== 'milliseconds') return t('sum', { n: known.reduce((sum, value) => sum + value, 0) });
  if (!known.length) return t('noData');
  const sorted = [...known].sort((a, b) => a - b);
  const whole = (value) => (value < 1 ? '< 1' : number(value));
  return t('median', { typical: whole(sorted[Math.floor(sorted.length / 2)]), most: whole(sorted.at(-1)) });
};

const plot = (name, buckets) => {
  const values = buckets.map((bucket) => bucket[name]);
  const top = Math.max(...values.map((value) => value ?? 0), 1);
  const words = summary(name, values);
  const bars = values.map((value, index) => (value ? s('rect', { x: index * 10 + 1, width: 8,
    y: (48 - 46 * value / top).toFixed(1), height: (46 * value / top).toFixed(1), class: `bar ${name}` }) : null));
  return h('figure', { class: 'panel' }, h('figcaption', { class: 'row between' }, h('strong', null, t(`series.${name}`)),
    h('span', { class: 'quiet' }, words)), s('svg', { viewBox: `0 0 ${values.length * 10} 48`, class: 'plot', role: 'img',
    preserveAspectRatio: 'none', 'aria-label': `${t(`series.${name}`)}: ${words}` }, s('line', { class: 'base', x1: 0, y1: 48,
    x2: values.length * 10, y2: 48 }), bars), h('div', { class: 'row between quiet small' },
  [time(buckets[0].start * 1000), t('now')].map((text) => h('span', null, text))));
};

const asTable = (buckets) => h('details', null, h('summary', null, t('asTable')), h('div', { class: 'scroll', tabindex: '0',
  role: 'region', 'aria-label': t('asTable') }, table(t('asTable'), [t('from'), ...SERIES.map((name) => t(`series.${name}`))],
  buckets.map((bucket) => [time(bucket.start * 1000), ...SERIES.map((name) => number(bucket[name] ?? 0))]))));

const plots = (heading, buckets) => h('section', null, h('h2', null, heading), buckets?.length
  ? [h('div', { class: 'grid plots' }, SERIES.map((name) => plot(name, buckets))), asTable(buckets)] : h('p', null, t('noData')));

export const show = (container) => {
  const things = bag();
  const places = [h('div'), h('div'), h('div')];
  const shown = [];
  const set = (index, data, make) => {
    const key = JSON.stringify(data);
    if (shown[index] === key) return;
    const open = [...places[index].querySelectorAll('details')].map((details) => details.open);
    shown[index] = key;
    places[index].replaceChildren(...[make(data)].flat().filter(Boolean));
    places[index].querySelectorAll('details').forEach((details, place) => { details.open = open[place] ?? false; });
  };
  const load = async () => {
    try {
      const { findings, machine, minutes, hours } = await get('/api/health');
      set(0, findings, (list) => [h('h2', null, t('findings')), ...findingGroups(list)]);
      set(1, machine, (figures) => [h('h2', null, t('machine')), machineFigures(figures)]);
      set(2, [minutes, hours], () => [plots(t('lastHour'), minutes), plots(t('lastDay'), hours)]);
    } catch (error) {
      if (!shown.length) places[0].replaceChildren(problemText(error.message));
    }
  };
  things.every(10000, load);
  things.add(on('connection', load));
  load();
  container.append(title(t('nav.health')), ...places);
  return things.leave;
};
