// The panel of the overlay in a shadow root: its elements and its texts.
import { bytesText } from '@svc/trace/number-text';
import type { Status } from '../api.ts';
import type { Asset } from '../assets/assets.ts';
import { STYLE } from './look.ts';
import { formatMs } from './readings.ts';

/** The values that the panel shows, except frames. */
type Reading = {
  readonly heapBytes: number | null;
  readonly gpuBytes: number;
  readonly heaviest: readonly Asset[];
  readonly status: Status;
};

/** The actions of its buttons. */
export type Actions = { record(): void; save(): void; close(): void };

export type Panel = {
  readonly host: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  showFrames(fps: number, p99Ms: number): void;
  show(reading: Reading): void;
};

const ROWS = 5;
/** Events in the panel that the game must not receive. */
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

export function makePanel(key: string, budgetMs: number, actions: Actions): Panel {
  const host = make('div');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  for (const type of OWN_EVENTS) {
    host.addEventListener(type, (event) => event.stopPropagation(), { passive: true });
  }
  const fps = cell('strong');
  fps.inner.append(Object.assign(make('span', 'dim'), { textContent: ' fps' }));
  const record = button('Record', actions.record);
  const save = button('Export', actions.save);
  const close = button('×', actions.close);
  close.setAttribute('aria-label', `Close the profiler (${key})`);
  const canvas = make('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `Frame times, budget ${formatMs(budgetMs)}`);
  const p99 = cell('dd');
  const heap = cell('dd');
  const gpu = cell('dd');
  const list = make('ol');
  const rows = Array.from({ length: ROWS }, () => row(list));
  const held = cell('span');
  const section = make('section');
  section.setAttribute('aria-label', 'Profiler');
  section.append(
    group('header', fps.box, record, save, close),
    canvas,
    group('dl', pair('p99', p99.box), pair('heap', heap.box), pair('GPU', gpu.box)),
    list,
    group('footer', held.box, Object.assign(make('span'), { textContent: key })),
  );
  root.append(section);
  let was = '';

  const showFrames = (perSecond: number, p99Ms: number): void => {
    write(fps.text, perSecond === 0 ? '–' : perSecond.toFixed(0));
    write(p99.text, formatMs(p99Ms));
  };
  const show = (reading: Reading): void => {
    const { status } = reading;
    write(heap.text, reading.heapBytes === null ? 'unknown' : bytesText(reading.heapBytes));
    write(gpu.text, bytesText(reading.gpuBytes));
    write(held.text, heldText(status));
    for (const [at, one] of rows.entries()) showAsset(one, reading.heaviest[at], at);
    if (status.state === was) return;
    was = status.state;
    record.textContent = was === 'recording' ? 'Stop' : 'Record';
    record.setAttribute('aria-pressed', String(was === 'recording'));
    save.disabled = was === 'idle';
  };
  return { host, canvas, showFrames, show };
}

function heldText({ state, bytes, lost }: Status): string {
  if (state === 'idle') return 'Nothing recorded yet';
  const word = state === 'recording' ? 'Recording' : 'Stopped';
  return `${word} · ${bytesText(bytes)}${lost > 0 ? ` · ${lost} lost` : ''}`;
}

type Row = {
  readonly item: HTMLElement;
  readonly name: Cell;
  readonly time: Cell;
  readonly size: Cell;
};

function row(list: HTMLElement): Row {
  const name = cell('span');
  const time = cell('span', 'time');
  const size = cell('span', 'size');
  const item = group('li', name.box, time.box, size.box);
  // The tooltip has the full name. It is set on demand, because setting it with each text would cost as much as the text.
  item.addEventListener('pointerenter', () => {
    name.inner.title = name.text.data;
  });
  list.append(item);
  return { item, name, time, size };
}

function showAsset({ item, name, time, size }: Row, asset: Asset | undefined, at: number): void {
  const hidden = asset === undefined && at > 0;
  if (item.hidden !== hidden) item.hidden = hidden;
  write(name.text, asset?.name ?? (at === 0 ? 'No asset costs yet' : ''));
  write(time.text, asset === undefined ? '' : formatMs(asset.mainMs));
  write(size.text, asset === undefined ? '' : bytesText(asset.gpuBytes + asset.bytes));
}

/** A text in a box of fixed size. */
type Cell = { readonly box: HTMLElement; readonly inner: HTMLElement; readonly text: Text };

function cell(tag: 'strong' | 'dd' | 'span', name = ''): Cell {
  const box = make(tag, `box ${name}`);
  const inner = make('span', 'cell');
  const text = document.createTextNode('');
  inner.append(text);
  box.append(inner);
  return { box, inner, text };
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

/** Sets a text only if it has changed, to avoid layout. */
function write(text: Text, value: string): void {
  if (text.data !== value) text.data = value;
}
