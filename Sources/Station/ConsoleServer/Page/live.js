// The live picture: its stream, its drawing, the editor of the viewport, and the views Live and Aim.
import { bag, button, get, h, may, newId, number, on, plainText, post, quiet, row, s, saveConfiguration, setText, station,
  table, time, title } from './api.js';
import { recentScans } from './scans.js';
import { symbologyName, t } from './words.js';

const clamp = (value, least, most) => Math.max(least, Math.min(value, most));

const HEAD_END = [13, 10, 13, 10];
const READ = '#3ddc84';
const UNREAD = '#ffb020';

const find = (data, from, end) => {
  for (let i = from; i <= end - 4; i += 1) {
    if (HEAD_END.every((byte, k) => data[i + k] === byte)) return i;
  }
  return -1;
};

// Splits the bytes of a multipart stream into its parts.
const partReader = (take) => {
  let data = new Uint8Array(0);
  const next = () => {
    const end = find(data, 0, data.length);
    if (end < 0) return false;
    const head = new TextDecoder().decode(data.subarray(0, end));
    const count = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? NaN);
    const from = end + 4;
    if (!Number.isNaN(count) && data.length < from + count) return false;
    const size = Number.isNaN(count) ? 0 : count;
    if (size > 0) take(data.slice(from, from + size), /x-reticle-picture: *(.*)/i.exec(head)?.[1]);
    data = data.slice(from + size);
    return true;
  };
  return (chunk) => {
    const joined = new Uint8Array(data.length + chunk.length);
    joined.set(data);
    joined.set(chunk, data.length);
    data = joined;
    while (next());
  };
};

const listeners = new Set();
let last = null;
let arrivals = [];
let run = null;
let pending = null;
let decoding = false;

const tell = (picture, problem) => listeners.forEach((listener) => listener(picture, problem));

const decode = async () => {
  if (decoding) return;
  decoding = true;
  while (pending) {
    const [jpeg, info] = pending;
    pending = null;
    try {
      const bitmap = await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' }));
      last?.bitmap.close();
      last = { bitmap, info, at: Date.now() };
      tell(last);
    } catch { /* A damaged picture is left out; the next one comes soon. */ }
  }
  decoding = false;
};

const arrived = (jpeg, head) => {
  const now = Date.now();
  arrivals = [...arrivals.filter((at) => at > now - 3000), now];
  try {
    pending = [jpeg, head ? JSON.parse(head) : {}];
    decode();
  } catch { /* As above. */ }
};

const stream = async (control) => {
  const response = await fetch('/api/live', { signal: control.signal, cache: 'no-store' });
  if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error ?? t('noPicture'));
  const reader = response.body.getReader();
  const feed = partReader(arrived);
  for (;;) {
    const watch = setTimeout(() => control.abort(), 10000);
    const { done, value } = await reader.read().finally(() => clearTimeout(watch));
    if (done) return;
    feed(value);
  }
};

const keepStreaming = async (mine) => {
  while (run === mine) {
    mine.control = new AbortController();
    try {
      await stream(mine.control);
    } catch (error) {
      if (run === mine) tell(null, error.name === 'Error' ? error.message : t('noPicture'));
    }
    if (run === mine) await new Promise((resolve) => { setTimeout(resolve, 2000); });
  }
};

const startOrStop = () => {
  const wanted = listeners.size > 0 && !document.hidden;
  if (wanted && !run) {
    run = {};
    keepStreaming(run);
  } else if (!wanted && run) {
    const { control } = run;
    run = null;
    control.abort();
  }
};

document.addEventListener('visibilitychange', startOrStop);

// Calls `listener(picture, problem)` for each live picture; returns how to stop.
const watchPictures = (listener) => {
  listeners.add(listener);
  queueMicrotask(() => listeners.has(listener) && last && Date.now() - last.at < 3000 && listener(last));
  startOrStop();
  return () => {
    listeners.delete(listener);
    startOrStop();
  };
};

const pixelWords = (code) => (code.neededModulePixels
  ? t('modulesOf', { has: number(code.modulePixels ?? 0, 1), needs: number(code.neededModulePixels, 1) })
  : code.modulePixels ? t('modules', { has: number(code.modulePixels, 1) }) : '');

const reasonWords = (code) => [t(`reason.${code.reason}`), pixelWords(code)].filter(Boolean).join(': ');

const outline = (pen, corners, colour, dashes) => {
  const path = new Path2D();
  corners.forEach(([x, y], index) => (index ? path.lineTo(x, y) : path.moveTo(x, y)));
  path.closePath();
  pen.setLineDash([]);
  pen.lineJoin = 'round';
  pen.strokeStyle = 'rgba(0, 0, 0, 0.75)';
  pen.lineWidth = 5;
  pen.stroke(path);
  pen.setLineDash(dashes);
  pen.strokeStyle = colour;
  pen.lineWidth = 2.5;
  pen.stroke(path);
};

const LABEL_HEIGHT = 22;

const boxOf = (corners) => {
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
};

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// A place for a label inside the picture: below its code, above or beside it, the first that covers nothing else.
const labelBox = (code, width, size, taken) => {
  const { left, top, right, bottom } = code;
  const spots = [[left, bottom + 6], [left, top - LABEL_HEIGHT - 6], [right + 6, top], [left - width - 6, top]];
  const boxes = spots.map(([x, y]) => {
    const [edge, upper] = [clamp(x, 2, size.width - width - 2), clamp(y, 2, size.height - LABEL_HEIGHT - 2)];
    return { left: edge, top: upper, right: edge + width, bottom: upper + LABEL_HEIGHT };
  });
  return boxes.find((box) => !taken.some((other) => overlap(box, other))) ?? boxes[0];
};

const label = (pen, corners, colour, text, size, taken) => {
  pen.setLineDash([]);
  pen.font = '600 13px system-ui, sans-serif';
  const shown = text.length > 44 ? `${text.slice(0, 43)}…` : text;
  const width = pen.measureText(shown).width + 12;
  const box = labelBox(boxOf(corners), width, size, taken);
  taken.push(box);
  const { left, top } = box;
  pen.fillStyle = 'rgba(8, 14, 18, 0.86)';
  pen.fillRect(left, top, width, LABEL_HEIGHT);
  pen.fillStyle = colour;
  pen.fillRect(left, top, 3, LABEL_HEIGHT);
  pen.fillStyle = '#fff';
  pen.fillText(shown, left + 8, top + 15.5);
};

const dimAround = (pen, area, size) => {
  const shade = new Path2D();
  shade.rect(0, 0, size.width, size.height);
  shade.rect(area.x, area.y, area.width, area.height);
  pen.fillStyle = 'rgba(0, 0, 0, 0.5)';
  pen.fill(shade, 'evenodd');
  pen.setLineDash([]);
  pen.strokeStyle = '#fff';
  pen.lineWidth = 1.5;
  pen.strokeRect(area.x, area.y, area.width, area.height);
};

const draw = (canvas, { bitmap, info }, showsViewport) => {
  const ratio = window.devicePixelRatio || 1;
  const size = { width: canvas.clientWidth, height: canvas.clientHeight };
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.drawImage(bitmap, 0, 0, size.width, size.height);
  if (!info.width) return;
  const scale = [size.width / info.width, size.height / info.height];
  const onScreen = (code) => (code.corners ?? []).map(([x, y]) => [x * scale[0], y * scale[1]]);
  const port = info.viewport;
  if (port && showsViewport && (port.width < info.width || port.height < info.height)) {
    dimAround(pen, { x: port.x * scale[0], y: port.y * scale[1], width: port.width * scale[0], height: port.height * scale[1] },
      size);
  }
  const unread = (info.unread ?? []).map((code) => [onScreen(code), UNREAD, [7, 5], reasonWords(code)]);
  const read = (info.read ?? []).map((code) => [onScreen(code), READ, [], `${symbologyName(code.symbology)}  ${plainText(code.text)}`]);
  const codes = [...unread, ...read].filter(([corners]) => corners.length > 2);
  codes.forEach(([corners, colour, dashes]) => outline(pen, corners, colour, dashes));
  const taken = codes.map(([corners]) => boxOf(corners));
  codes.forEach(([corners, colour, , text]) => label(pen, corners, colour, text, size, taken));
};

// The picture with its outlines, its rate and its age. `onPicture` is told of each picture.
export const pictureView = (things, onPicture = () => {}) => {
  const canvas = h('canvas', { role: 'img', 'aria-label': t('livePicture') });
  const message = h('p', { class: 'over', role: 'status' }, t('waitingForPicture'));
  const frame = h('div', { class: 'frame' }, canvas, message);
  const rate = h('span');
  const age = h('span');
  const element = h('figure', { class: 'picture' }, frame, h('figcaption', { class: 'quiet row' }, rate, age));
  const view = { element, frame, canvas, showsViewport: true, picture: null };
  const redraw = () => view.picture?.bitmap.width && draw(canvas, view.picture, view.showsViewport);
  view.redraw = redraw;
  const shape = (picture) => {
    const [width, height] = [picture.info.width ?? picture.bitmap.width, picture.info.height ?? picture.bitmap.height];
    if (frame.dataset.shape === `${width} / ${height}`) return;
    frame.dataset.shape = `${width} / ${height}`;
    frame.style.aspectRatio = frame.dataset.shape;
    frame.style.setProperty('--shape', width / height);
  };
  things.add(watchPictures((picture, problem) => {
    if (!picture) {
      setText(message, problem);
      message.hidden = false;
      return;
    }
    shape(picture);
    view.picture = picture;
    message.hidden = true;
    redraw();
    canvas.dataset.pictures = Number(canvas.dataset.pictures ?? 0) + 1;
    onPicture(picture);
  }));
  const size = new ResizeObserver(redraw);
  size.observe(frame);
  things.add(() => size.disconnect());
  things.every(500, () => {
    if (!view.picture) return;
    const seconds = (Date.now() - view.picture.at) / 1000;
    const recent = arrivals.filter((at) => at > Date.now() - 3000);
    const perSecond = recent.length > 1 ? (recent.length - 1) * 1000 / (recent.at(-1) - recent[0]) : 0;
    rate.textContent = t('picturesPerSecond', { rate: number(perSecond, 1) });
    age.textContent = t('lastPicture', { age: number(seconds, 1) });
    const isOld = seconds > 2.5;
    frame.classList.toggle('old', isOld);
    if (isOld && message.hidden) {
      setText(message, t('oldPicture', { time: time(view.picture.at) }));
      message.hidden = false;
    }
  });
  return view;
};

const foundWords = (info) => [
  ...(info.read ?? []).map((code) => ['ok', `${symbologyName(code.symbology)}: ${plainText(code.text)}`, pixelWords(code)]),
  ...(info.unread ?? []).map((code) => ['warning', code.symbology ? symbologyName(code.symbology) : t('unknownCode'),
    reasonWords(code)])];

// The list that says the same as the outlines, at most once a second.
export const foundList = () => {
  const list = h('ul', { class: 'found plain', 'aria-label': t('inView') });
  let shown = null;
  let at = 0;
  const show = ({ info }) => {
    const words = foundWords(info);
    const key = JSON.stringify(words.map(([kind, text]) => [kind, text]));
    if (key === shown || Date.now() - at < 1000) return;
    [shown, at] = [key, Date.now()];
    const sign = { ok: '●', warning: '▲' };
    list.replaceChildren(...(words.length ? words : [['idle', t('nothingInView'), '']]).map(([kind, text, more]) =>
      h('li', { class: `state ${kind}` }, h('span', { 'aria-hidden': 'true' }, sign[kind] ?? '○'), ' ',
        kind !== 'idle' && h('span', { class: 'hidden' }, `${t(kind === 'ok' ? 'read' : 'notRead')}: `),
        h('bdi', { class: 'code' }, text), more && h('span', { class: 'quiet' }, ` ${more}`))));
  };
  return { list, show };
};

const LEAST = 0.05;

const fitted = ({ x, y, width, height }) => {
  const wide = clamp(width, LEAST, 1);
  const high = clamp(height, LEAST, 1);
  return { x: clamp(x, 0, 1 - wide), y: clamp(y, 0, 1 - high), width: wide, height: high };
};

const resized = (from, handle, dx, dy) => {
  const area = { ...from };
  if (handle.includes('e')) area.width = clamp(from.width + dx, LEAST, 1 - from.x);
  if (handle.includes('s')) area.height = clamp(from.height + dy, LEAST, 1 - from.y);
  if (handle.includes('w')) {
    area.x = clamp(from.x + dx, 0, from.x + from.width - LEAST);
    area.width = from.x + from.width - area.x;
  }
  if (handle.includes('n')) {
    area.y = clamp(from.y + dy, 0, from.y + from.height - LEAST);
    area.height = from.y + from.height - area.y;
  }
  return area;
};

const round = (value) => Math.round(value * 1000) / 1000;

// As the key `viewport` takes it; null for the whole frame.
export const viewportValue = (area) => {
  const numbers = [area.x, area.y, area.width, area.height].map(round);
  return numbers.join() === '0,0,1,1' ? null : `[${numbers.join(', ')}]`;
};

const areaOf = (picture) => {
  const { viewport, width, height } = picture?.info ?? {};
  if (!viewport || !width) return { x: 0, y: 0, width: 1, height: 1 };
  return fitted({ x: viewport.x / width, y: viewport.y / height, width: viewport.width / width,
    height: viewport.height / height });
};

const dragging = (frame, box, current, change) => {
  let grip = null;
  const place = (event) => {
    const edges = frame.getBoundingClientRect();
    return [clamp((event.clientX - edges.left) / edges.width, 0, 1), clamp((event.clientY - edges.top) / edges.height, 0, 1)];
  };
  const down = (event) => {
    const [x, y] = place(event);
    const handle = event.target.dataset?.handle;
    const kind = handle ?? (box.contains(event.target) ? 'move' : 'draw');
    grip = { kind, x, y, from: kind === 'draw' ? { x, y, width: 0, height: 0 } : { ...current() } };
    frame.setPointerCapture(event.pointerId);
    event.preventDefault();
    box.focus();
  };
  const move = (event) => {
    if (!grip) return;
    const [x, y] = place(event);
    const [dx, dy] = [x - grip.x, y - grip.y];
    if (grip.kind === 'draw') {
      if (Math.hypot(dx, dy) < LEAST / 2) return;
      change(fitted({ x: Math.min(x, grip.x), y: Math.min(y, grip.y), width: Math.abs(dx), height: Math.abs(dy) }));
    } else if (grip.kind === 'move') change(fitted({ ...grip.from, x: grip.from.x + dx, y: grip.from.y + dy }));
    else change(resized(grip.from, grip.kind, dx, dy));
  };
  const up = () => { grip = null; };
  const pairs = [['pointerdown', down], ['pointermove', move], ['pointerup', up], ['pointercancel', up]];
  pairs.forEach(([name, action]) => frame.addEventListener(name, action));
  return () => pairs.forEach(([name, action]) => frame.removeEventListener(name, action));
};

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Lays a rectangle over the picture that pointer, keys and number fields change. Returns `{ fields, area(), close() }`.
export const viewportEditor = (view) => {
  let area = areaOf(view.picture);
  const help = newId();
  const handles = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'].map((handle) => h('i', { 'data-handle': handle }));
  const box = h('div', { class: 'viewport', tabindex: '0', role: 'application', 'aria-label': t('viewport'),
    'aria-describedby': help }, handles);
  const inputs = ['x', 'y', 'width', 'height'].map((side) => [side, h('input', { type: 'number', min: 0, max: 100, step: 0.1 })]);
  const show = () => {
    Object.assign(box.style, { left: `${area.x * 100}%`, top: `${area.y * 100}%`, width: `${area.width * 100}%`,
      height: `${area.height * 100}%` });
    inputs.forEach(([side, input]) => {
      if (input !== document.activeElement) input.value = Math.round(area[side] * 1000) / 10;
    });
  };
  const change = (next) => {
    area = next;
    show();
  };
  box.addEventListener('keydown', (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const [dx, dy] = step.map((part) => part * 0.01);
    change(event.shiftKey ? resized(area, 'es', dx, dy) : fitted({ ...area, x: area.x + dx, y: area.y + dy }));
  });
  inputs.forEach(([side, input]) => {
    input.addEventListener('input', () => input.value !== '' && change(fitted({ ...area, [side]: Number(input.value) / 100 })));
    input.addEventListener('blur', show);
  });
  const fields = row(inputs.map(([side, input]) =>
    h('label', { class: 'short' }, `${t(`side.${side}`)} (%)`, input)), h('p', { class: 'quiet', id: help }, t('viewportHelp')));
  const stop = dragging(view.frame, box, () => area, change);
  view.frame.append(box);
  view.frame.classList.add('editing');
  view.showsViewport = false;
  show();
  const close = () => {
    stop();
    box.remove();
    view.frame.classList.remove('editing');
    view.showsViewport = true;
    view.redraw();
  };
  return { box, fields, area: () => area, whole: () => change({ x: 0, y: 0, width: 1, height: 1 }), close };
};

const saveViewport = async (area) => {
  const { text, revision } = await get('/api/configuration');
  const changes = [{ name: 'viewport', value: viewportValue(area) }];
  const edited = await post('/api/configuration/edit', { text, changes });
  if (edited.problems.length) throw new Error(edited.problems[0].message);
  if (edited.text === text) return t('noDifference');
  await saveConfiguration(edited.text, revision);
  return t('saved');
};

const viewportTools = (view) => {
  const tools = h('div', { class: 'tools' });
  const idle = () => tools.replaceChildren(button(t('changeViewport'), edit));
  const edit = () => {
    if (!view.picture) return t('noPicture');
    const editor = viewportEditor(view);
    const stop = () => {
      editor.close();
      idle();
      tools.firstChild.focus();
    };
    const save = async () => {
      const said = await saveViewport(editor.area());
      stop();
      return said;
    };
    tools.replaceChildren(editor.fields, row(button(t('save'), save, { class: 'main' }),
      button(t('wholeFrame'), editor.whole), button(t('cancel'), stop)));
    editor.box.focus();
    return undefined;
  };
  idle();
  return may('configure') ? tools : null;
};

export const show = (container) => {
  const things = bag();
  const found = foundList();
  const view = pictureView(things, found.show);
  container.append(title(t('nav.live')), h('div', { class: 'split' },
    h('section', { 'aria-label': t('livePicture') }, view.element, viewportTools(view), h('h2', null, t('inView')), found.list),
    recentScans(things)));
  return things.leave;
};

const verdict = ({ aim = {}, unread = [], read = [] }, best) => {
  const clipped = (value) => number(value ?? 0, value < 10 ? 1 : 0);
  const small = unread.find((code) => code.reason === 'small' && code.neededModulePixels);
  if (aim.darkClipped > 25) return ['warning', t('verdict.dark', { share: clipped(aim.darkClipped) })];
  if (aim.mean < 45) return ['warning', t('verdict.dim', { mean: number(aim.mean) })];
  if (aim.brightClipped > 8) return ['warning', t('verdict.bright', { share: clipped(aim.brightClipped) })];
  if (small) return ['warning', t('verdict.small', { words: pixelWords(small) })];
  if (best > 0 && aim.sharpness < best * 0.85) {
    return ['warning', t('verdict.worse', { share: number(100 * aim.sharpness / best) })];
  }
  if (unread.some((code) => code.reason === 'blurred')) return ['warning', t('verdict.blurred')];
  if (!read.length && !unread.length) return ['idle', t('verdict.empty')];
  return read.length ? ['ok', t('verdict.good')] : ['warning', t('verdict.unread', { reason: t(`reason.${unread[0].reason}`) })];
};

const sharpnessPlot = () => {
  const line = s('polyline', { class: 'curve', points: '' });
  const bestLine = s('line', { class: 'best', x1: 0, x2: 600, y1: 100, y2: 100 });
  const plot = s('svg', { viewBox: '0 0 600 104', class: 'plot', role: 'img', 'aria-label': t('sharpnessPlot'),
    preserveAspectRatio: 'none' }, bestLine, line);
  let values = [];
  const add = (value, best) => {
    const now = Date.now();
    values = [...values.filter(([at]) => at > now - 60000), [now, value]];
    const top = Math.max(best * 1.1, 1);
    const height = (part) => (102 - 100 * part / top).toFixed(1);
    line.setAttribute('points', values.map(([at, part]) => `${(600 - (now - at) / 100).toFixed(1)},${height(part)}`).join(' '));
    bestLine.setAttribute('y1', height(best));
    bestLine.setAttribute('y2', height(best));
  };
  return { plot, add };
};

const histogramPlot = () => {
  const bars = Array.from({ length: 64 }, (_, index) => s('rect', { x: index * 5, y: 60, width: 4, height: 0,
    class: index === 0 || index === 63 ? 'bar alert' : 'bar' }));
  const plot = s('svg', { viewBox: '0 0 320 60', class: 'plot', role: 'img', 'aria-label': t('histogram'),
    preserveAspectRatio: 'none' }, bars);
  const update = (counts) => {
    const top = Math.max(...counts, 1);
    counts.forEach((count, index) => {
      const height = 58 * Math.sqrt(count / top);
      bars[index]?.setAttribute('y', (60 - height).toFixed(1));
      bars[index]?.setAttribute('height', height.toFixed(1));
    });
  };
  return { plot, update };
};

const speedTool = () => {
  const stored = Number(localStorage.getItem('module')) || 0.33;
  const input = h('input', { type: 'number', min: 0.05, max: 5, step: 0.01, value: stored, inputmode: 'decimal' });
  const output = h('output', { class: 'figure' });
  let exposure = null;
  const update = () => {
    const size = Number(input.value);
    const isKnown = exposure > 0 && size > 0;
    setText(output, isKnown ? `${number(500 * size / exposure, 3)} m/s` : t('unknown'));
  };
  input.addEventListener('input', () => {
    localStorage.setItem('module', input.value);
    update();
  });
  const take = (microseconds) => {
    exposure = microseconds ?? station.status?.camera?.sensor?.exposureMicroseconds ?? null;
    update();
  };
  const element = h('section', { class: 'panel' }, h('h2', null, t('speed')), h('div', { class: 'row' },
    h('label', { class: 'short' }, t('moduleSize'), input), h('p', null, t('greatestSpeed'), h('br'), output)),
  quiet(t('speedHelp')));
  return { element, take };
};

const moduleTable = () => {
  const place = h('div');
  const update = ({ read = [], unread = [] }) => {
    const cells = [...read, ...unread].map((code) => [code.symbology ? symbologyName(code.symbology) : t('unknownCode'),
      code.modulePixels ? number(code.modulePixels, 1) : '–',
      code.neededModulePixels ? number(code.neededModulePixels, 1) : code.reason ? t(`reason.${code.reason}`) : t('enough')]);
    const rows = cells.length ? cells : [[t('nothingInView'), '', '']];
    place.replaceChildren(table(t('pixelsPerModule'), [t('kind'), t('has'), t('needs')], rows));
  };
  return { place, update };
};

const settingsText = (one) => [one.exposureMicroseconds > 0 && `${number(one.exposureMicroseconds / 1000, 1)} ms`,
  one.gain > 0 && `× ${number(one.gain, 1)}`, Number.isFinite(one.lensDioptres) && `${number(one.lensDioptres, 1)} D`]
  .filter(Boolean).join(', ') || t('unknown');

// The sensor's settings, and those that the station wishes, with the reason.
const cameraText = ({ sensor = {}, wish } = {}) => t('sensorTakes', { settings: settingsText(sensor) })
  + (wish ? ` ${t('wished', { settings: settingsText(wish), reason: t(`wish.${wish.reason}`) })}` : '');

// The view Aim: focus, light, size and speed.
export const showAim = (container) => {
  const things = bag();
  let best = 0;
  let shownAt = 0;
  const figure = h('output', { class: 'huge', 'aria-live': 'off' }, '–');
  const ofBest = h('p', { class: 'quiet' });
  const says = h('p', { class: 'verdict state idle', role: 'status' }, t('waitingForPicture'));
  const sharp = sharpnessPlot();
  const light = histogramPlot();
  const clipped = h('p', { class: 'quiet' });
  const cameraDoes = h('p', { class: 'quiet' });
  const modules = moduleTable();
  const speed = speedTool();
  const words = (info) => {
    const { aim } = info;
    const [kind, text] = verdict(info, best);
    says.className = `verdict state ${kind}`;
    setText(says, text);
    figure.textContent = number(aim.sharpness);
    setText(ofBest, t('ofBest', { share: number(best ? 100 * aim.sharpness / best : 0), best: number(best) }));
    setText(clipped, t('clipped', { dark: number(aim.darkClipped ?? 0, 1), bright: number(aim.brightClipped ?? 0, 1),
      mean: number(aim.mean ?? 0) }));
    light.update(aim.histogram ?? []);
    modules.update(info);
    speed.take(aim.exposureMicroseconds);
  };
  const view = pictureView(things, ({ info }) => {
    if (!info.aim) return;
    best = Math.max(best, info.aim.sharpness);
    sharp.add(info.aim.sharpness, best);
    if (Date.now() - shownAt < 400) return;
    shownAt = Date.now();
    words(info);
  });
  const again = button(t('forgetBest'), () => { best = 0; });
  container.append(title(t('nav.aim')), says, h('div', { class: 'split' }, h('section', { 'aria-label': t('livePicture') },
    view.element, h('p', null, h('a', { href: '/card.svg', target: '_blank', rel: 'noopener' }, t('testCard')))),
  h('div', { class: 'stack' },
    h('section', { class: 'panel' }, h('h2', null, t('sharpness')), row(figure,
      h('div', null, ofBest, again)), sharp.plot, quiet(t('sharpnessPlot'))),
    h('section', { class: 'panel' }, h('h2', null, t('light')), light.plot, clipped, cameraDoes),
    h('section', { class: 'panel' }, h('h2', null, t('pixelsPerModule')), modules.place), speed.element)));
  const take = () => {
    setText(cameraDoes, cameraText(station.status?.camera));
    speed.take(view.picture?.info.aim?.exposureMicroseconds);
  };
  take();
  things.add(on('status', take));
  return things.leave;
};
