// Reads what the code in a page passes on. A page can pass on anything, so everything is checked.
import { InputFault, type InputStep, parseStep } from '../input/input-step.ts';
import { isKeyCode } from '../input/key-codes.ts';
import type { Hello, Surface } from './messages.ts';

export type Message =
  | { readonly kind: 'hello'; readonly hello: Hello }
  | { readonly kind: 'lines'; readonly surface: Surface; readonly lines: string }
  | { readonly kind: 'first draw'; readonly ago_ms: number }
  | { readonly kind: 'origin'; readonly x: number; readonly y: number }
  | {
      readonly kind: 'input';
      /** The time of the page's clock. */
      readonly at: number;
      readonly step: InputStep;
      /** Whether the coordinates are those of the screen. */
      readonly isOnScreen: boolean;
    };

/** Reads a message of messages.ts. Null if it is none. */
export function readMessage(payload: string): Message | null {
  const text = payload.slice(1);
  if (/^D\d{1,7}(\.\d+)?$/.test(payload)) return { kind: 'first draw', ago_ms: Number(text) };
  if (payload.startsWith('I')) return readInput(text);
  const [, x, y] = /^O(-?\d{1,6}(?:\.\d+)?) (-?\d{1,6}(?:\.\d+)?)$/.exec(payload) ?? [];
  if (x !== undefined) return { kind: 'origin', x: Number(x), y: Number(y) };
  if (payload.startsWith('H')) {
    const hello = readHello(fieldsOf(text));
    return hello === null ? null : { kind: 'hello', hello };
  }
  const end = text.indexOf('\n');
  if (!payload.startsWith('L') || end < 0) return null;
  return {
    kind: 'lines',
    surface: readSurface(fieldsOf(text.slice(0, end))),
    lines: text.slice(end + 1),
  };
}

/** The latest time that a Date can express. Two such times are added. */
const LATEST_MS = 4e15;

function readInput(text: string): Message | null {
  const [time = '', space, ...words] = text.split(' ');
  const at = Number(time);
  if (!/^\d+(\.\d+)?$/.test(time) || at > LATEST_MS) return null;
  if (space !== 'page' && space !== 'screen') return null;
  try {
    const step = parseStep(words, isKeyCode);
    return { kind: 'input', at, step, isOnScreen: space === 'screen' };
  } catch (error) {
    if (error instanceof InputFault) return null;
    throw error;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function readHello({ mark, began, marked, origin }: Fields): Hello | null {
  if (typeof mark !== 'string' || mark.length > 100) return null;
  const times = [began, marked, origin].map((time) => numberOf(time));
  const [first = 0, second = 0, third = 0] = times;
  if (times.some((time) => time < 0 || time > LATEST_MS)) return null;
  return { mark, began: first, marked: second, origin: third };
}

function readSurface({ own, transferred, worker }: Fields): Surface {
  return {
    own: Math.max(0, numberOf(own)),
    transferred: Math.max(0, numberOf(transferred)),
    worker: worker === true,
  };
}

/** −1 for anything else than a finite number. */
function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : -1;
}
