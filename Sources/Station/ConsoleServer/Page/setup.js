// The set-up in steps: name, camera, viewport, sink, review, and the first scan.
import { bag, button, differenceView, get, h, newId, on, post, quiet, row, saveConfiguration, select, setText, stack,
  station, title, visible } from './api.js';
import { foundList, pictureView, viewportEditor, viewportValue } from './live.js';
import { symbologyName, t } from './words.js';

const STEPS = ['name', 'camera', 'viewport', 'sink', 'review', 'done'];
const FIELDS = {
  webhook: [['url', 'https://till.example/scans']],
  keyboard: [['device', '/dev/hidg0'], ['layout', 'us']],
  serial: [['device', '/dev/ttyUSB0'], ['baud', '9600']],
  tcp: [['connect', 'till.example:9100']],
  mqtt: [['broker', 'mqtts://broker.example']],
};

const field = (text, input, help) => h('label', { class: 'block' }, text, help && h('span', { class: 'quiet', lang: 'en' }, help),
  input);

const nameStep = (wizard) => {
  const input = h('input', { type: 'text', maxlength: 64, autocomplete: 'off',
    value: wizard.changes.get('station.name') ?? wizard.setup.stationName ?? '' });
  return { nodes: [field(t('setup.stationName'), input)],
    read: () => wizard.changes.set('station.name', input.value.trim()) };
};

const cameraStep = (wizard, things) => {
  const { cameras } = wizard.setup;
  const found = foundList();
  const words = h('p', { role: 'status' }, t('waitingForPicture'));
  const missing = cameras.length ? null : h('p', { class: 'problem' }, t('setup.noCamera'));
  const view = pictureView(things, (picture) => {
    found.show(picture);
    setText(words, t('setup.cameraWorks'));
    missing?.remove();
  });
  const chosen = wizard.changes.get('camera.id') ?? cameras[0]?.id;
  const choice = select({}, cameras.map((camera) => [camera.id, `${camera.model} (${camera.id})`]), chosen);
  const read = () => cameras.length > 1 && wizard.changes.set('camera.id', choice.value);
  return { nodes: [missing ?? field(t('setup.camera'), choice), words, view.element, found.list], read };
};

const viewportStep = (wizard, things) => {
  const place = h('div', { class: 'stack' });
  let editor = null;
  const view = pictureView(things, () => {
    if (editor) return;
    editor = viewportEditor(view);
    place.append(editor.fields, button(t('wholeFrame'), editor.whole));
  });
  things.add(() => editor?.close());
  return { nodes: [h('p', null, t('setup.viewportHelp')), view.element, place],
    read: () => editor && wizard.changes.set('viewport', viewportValue(editor.area())) };
};

const sinkInput = (wizard, key, [, example], current) => {
  if (key.choices?.length) return select({}, key.choices, current ?? key.default ?? key.choices[0]);
  const proposals = key.name.endsWith('serial.device') ? wizard.setup.serialDevices ?? []
    : key.name.endsWith('keyboard.device') ? ['/dev/hidg0', '/dev/uinput'] : [];
  const id = newId();
  const value = current ?? (key.name.endsWith('keyboard.device') ? example : proposals[0] ?? '');
  return [h('input', { type: 'text', list: proposals.length ? id : null, placeholder: example, value, autocomplete: 'off',
    spellcheck: 'false' }), proposals.length > 0 && h('datalist', { id }, proposals.map((one) => h('option', { value: one })))];
};

const forgetSink = (wizard) => [...wizard.changes.keys()].filter((name) => name.startsWith('sinks.'))
  .forEach((name) => wizard.changes.delete(name));

const sinkStep = (wizard) => {
  const keyOf = (kind, name) => wizard.keys.find((key) => key.name === `sinks[].${kind}.${name}`);
  const kinds = Object.keys(FIELDS).filter((kind) => FIELDS[kind].some(([name]) => keyOf(kind, name)));
  const fields = h('div', { class: 'stack' });
  let inputs = [];
  const group = newId();
  const show = () => {
    const pairs = (FIELDS[wizard.kind] ?? []).map((one) => [keyOf(wizard.kind, one[0]), one]).filter(([key]) => key);
    inputs = pairs.map(([key, one]) => {
      const name = key.name.replace('[]', '.0');
      const parts = [sinkInput(wizard, key, one, wizard.changes.get(name))].flat();
      return { name, key, parts };
    });
    fields.replaceChildren(...inputs.map(({ name, key, parts }) => field(name.split('.').at(-1), parts, key.summary)));
  };
  const option = (kind, text) => h('label', { class: 'check' }, h('input', { type: 'radio', name: group, value: kind,
    checked: wizard.kind === kind, onchange: () => {
      wizard.kind = kind;
      show();
    } }), text);
  show();
  const read = () => {
    forgetSink(wizard);
    inputs.forEach(({ name, parts }) => parts[0].value.trim() && wizard.changes.set(name, parts[0].value.trim()));
    const missing = inputs.find(({ key, parts }) => !key.default && !parts[0].value.trim());
    if (missing) throw new Error(t('setup.missing', { name: missing.name }));
  };
  return { nodes: [h('fieldset', null, h('legend', null, t('setup.sinkKind')),
    kinds.map((kind) => option(kind, t(`setup.${kind}`))), option('', t('setup.skip'))), fields], read };
};

const reviewStep = (wizard) => {
  const pairs = [...wizard.changes].map(([name, value]) => [h('dt', null, name), h('dd', null, value ?? t(name === 'viewport' ? 'wholeFrame' : 'default'))]);
  return { nodes: [h('p', null, t('setup.reviewHelp')), h('dl', null, pairs), h('details', null, h('summary', null, t('changes')),
    differenceView(wizard.saved, wizard.text))], read: () => {} };
};

const isFirst = (scan, wizard) => !scan.noRead && !wizard.known.has(scan.id)
  && (!wizard.kind || (scan.deliveries ?? []).some((delivery) => delivery.state === 'delivered'));

const doneStep = (wizard, things) => {
  const words = h('p', { class: 'verdict state idle', role: 'status' }, t('setup.scanSomething'));
  const content = h('div', { class: 'stack' });
  const look = (scans) => {
    const scan = scans.find((one) => isFirst(one, wizard));
    if (!scan || content.childElementCount) return;
    words.className = 'verdict state ok';
    const sinks = (scan.deliveries ?? []).filter((delivery) => delivery.state === 'delivered').map((delivery) => delivery.sink);
    setText(words, sinks.length ? t('setup.delivered', { sinks: sinks.join(', ') }) : t('setup.scanned'));
    content.append(h('p', { class: 'huge code' }, visible(scan.text)), quiet(symbologyName(scan.symbology)));
  };
  const ask = () => get('/api/scans?limit=10').then(({ scans }) => look(scans)).catch(() => {});
  things.add(on('scan', (scan) => look([scan])), on('trialEnded', (trial) => {
    if (trial.state !== 'rolledBack') return;
    words.className = 'verdict state fault';
    setText(words, t('setup.rolledBack'));
  }));
  things.every(2000, ask);
  const { token } = wizard.setup;
  return { nodes: [words, content, token && h('p', null, t('setup.token'), ' ', h('code', null, token)),
    h('p', { class: 'row' }, h('a', { class: 'button main', href: '#live' }, t('setup.toLive')),
    h('a', { class: 'button', href: '#sinks' }, t('nav.sinks')))], read: () => {} };
};

const MAKERS = { name: nameStep, camera: cameraStep, viewport: viewportStep, sink: sinkStep, review: reviewStep, done: doneStep };

const advance = async (wizard, step) => {
  const changes = [...wizard.changes].map(([name, value]) => ({ name, value }));
  const { text, problems } = await post('/api/configuration/edit', { text: wizard.first, changes });
  wizard.text = text;
  const own = { name: 'station', camera: 'camera', viewport: 'viewport', sink: 'sink' }[step];
  const mine = step === 'review' ? problems : problems.filter(({ message }) => message.includes(own));
  if (mine.length) throw new Error(mine.map(({ message }) => message).join(' '));
  if (step !== 'review') return;
  const { scans } = await get('/api/scans?limit=100');
  wizard.known = new Set(scans.map((scan) => scan.id));
  // From now on the station asks for this token; the session that it opens outlasts the change.
  if (wizard.setup.token) station.session = await post('/api/login', { token: wizard.setup.token });
  await saveConfiguration(text, wizard.revision);
  station.session.firstStart = false;
};

const begin = async () => {
  const [setup, saved] = await Promise.all([get('/api/setup'), get('/api/configuration')]);
  const first = station.session.firstStart ? setup.firstText ?? saved.text : saved.text;
  const hasSink = saved.values.some(({ name, origin }) => name.startsWith('sinks.0.') && origin !== 'default');
  return { setup: { cameras: [], ...setup }, keys: saved.keys, saved: saved.text, first, text: first, revision: saved.revision,
    readOnly: saved.readOnly, changes: new Map(), known: new Set(),
    kind: hasSink && !station.session.firstStart ? '' : 'webhook' };
};

export const show = (container) => {
  const things = bag();
  const body = stack(quiet(t('loading')));
  let wizard;
  const open = (index) => {
    things.leave();
    const name = STEPS[index];
    const step = MAKERS[name](wizard, things);
    const problem = h('p', { role: 'alert', lang: 'en' });
    const heading = h('h2', { tabindex: '-1' }, t(`step.${name}`));
    const next = async () => {
      problem.textContent = '';
      problem.className = '';
      try {
        step.read();
        await advance(wizard, name);
        open(index + 1);
      } catch (error) {
        problem.className = 'problem';
        problem.textContent = error.message;
      }
    };
    const buttons = row(index > 0 && button(t('back'), () => open(index - 1)),
      button(t(name === 'review' ? 'setup.save' : 'next'), next, { class: 'main' }));
    body.replaceChildren(h('ol', { class: 'plain steps', 'aria-label': t('steps') }, STEPS.map((one, place) =>
      h('li', { 'aria-current': place === index ? 'step' : null, class: place < index ? 'past' : '' }, t(`step.${one}`)))),
    heading, ...step.nodes.filter(Boolean), problem, name === 'done' ? '' : buttons);
    if (index) heading.focus();
  };
  begin().then((made) => {
    wizard = made;
    if (wizard.readOnly) body.replaceChildren(h('p', { class: 'notice', lang: 'en' }, wizard.readOnly));
    else open(0);
  }, (error) => body.replaceChildren(h('p', { class: 'problem' }, error.message)));
  container.append(title(t('nav.setup')), body);
  return things.leave;
};
