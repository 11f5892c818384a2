// The overlay's panel in a shadow root: what it holds, and putting numbers in.
import type { Status } from '../api.ts';
import type { Asset } from '../assets.ts';
import { STYLE } from './look.ts';
import { formatBytes, formatMs } from './readings.ts';

/** What the panel shows at a time. */
export type Reading = {
  readonly fps: number;
  readonly p99Ms: number;
  readonly budgetMs: number;
  readonly heapBytes: number | null;
  readonly gpuBytes: number;
  readonly heaviest: readonly Asset[];
  readonly status: Status;
};

/** What its buttons do. */
export type Actions = { record(): void; save(): void; close(): void };

export type Panel = {
  readonly host: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  show(reading: Reading): void;
};

const ROWS = 5;
/** What happens in the panel is not the game's: no press in it may move the player. */
const OWN_EVENTS = [
  'keydown',
  'keyup',
  'pointerdown',
  'pointerup',
  'mousedown',
  'mouseup',
  'click',
  'touchstart',
  'touchend',
  'wheel',
];

export function makePanel(key: string, actions: Actions): Panel {
  const host = make('div');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  for (const type of OWN_EVENTS) {
    host.addEventListener(type, (event) => event.stopPropagation(), { passive: true });
  }
  const fps = make('strong');
  const times = make('span', 'dim');
  const record = button('Record', actions.record);
  const save = button('Export', actions.save);
  const close = button('×', actions.close);
  close.setAttribute('aria-label', `Close the profiler (${key})`);
  record.classList.add('push');
  const canvas = make('canvas');
  canvas.setAttribute('role', 'img');
  const heap = make('dd');
  const gpu = make('dd');
  const list = make('ol');
  const rows = Array.from({ length: ROWS }, () => row(list));
  const held = make('span');
  const section = make('section');
  section.setAttribute('aria-label', 'Profiler');
  section.append(
    group('header', fps, times, record, save, close),
    canvas,
    group('dl', pair('JS heap', heap), pair('GPU', gpu)),
    list,
    group('footer', held, Object.assign(make('span', 'push'), { textContent: key })),
  );
  root.append(section);

  const show = (reading: Reading): void => {
    const { status } = reading;
    const recording = status.state === 'recording';
    write(fps, reading.fps === 0 ? '–' : reading.fps.toFixed(0));
    write(times, `fps · p99 ${formatMs(reading.p99Ms)}`);
    attribute(canvas, 'aria-label', `Frame times, budget ${formatMs(reading.budgetMs)}`);
    write(heap, reading.heapBytes === null ? 'unknown' : formatBytes(reading.heapBytes));
    write(gpu, formatBytes(reading.gpuBytes));
    write(record, recording ? 'Stop' : 'Record');
    attribute(record, 'aria-pressed', String(recording));
    if (save.disabled !== (status.state === 'idle')) save.disabled = !save.disabled;
    const lost = status.lost > 0 ? ` · ${status.lost} lost` : '';
    write(
      held,
      status.state === 'idle'
        ? 'Nothing recorded yet'
        : `${recording ? 'Recording' : 'Stopped'} · ${formatBytes(status.bytes)}${lost}`,
    );
    rows.forEach(({ name, time, size }, at) => {
      const asset = reading.heaviest[at];
      const empty = at === 0 && asset === undefined ? 'No asset has cost anything yet' : '';
      write(name, asset?.name ?? empty);
      attribute(name, 'title', asset?.name ?? '');
      write(time, asset === undefined ? '' : formatMs(asset.mainMs));
      write(size, asset === undefined ? '' : formatBytes(asset.gpuBytes + asset.bytes));
    });
  };
  return { host, canvas, show };
}

function row(list: HTMLElement) {
  const name = make('span');
  const time = make('span');
  const size = make('span', 'dim');
  const item = group('li', name, time, size);
  list.append(item);
  return { name, time, size };
}

function pair(term: string, value: HTMLElement): HTMLElement {
  return group('div', Object.assign(make('dt'), { textContent: term }), value);
}

function button(text: string, press: () => void): HTMLButtonElement {
  const made = make('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', press);
  return made;
}

function group(
  tag: 'header' | 'footer' | 'dl' | 'div' | 'li',
  ...parts: HTMLElement[]
): HTMLElement {
  const made = make(tag);
  made.append(...parts);
  return made;
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  name = '',
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (name !== '') made.className = name;
  return made;
}

/** As with texts: only a value that changed costs the browser anything. */
function attribute(element: HTMLElement, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Only a text that changed costs the browser anything. */
function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
