// Reads what the code in a page passes on. A page can pass on anything, so everything is checked.
import type { Hello, Surface } from './messages.ts';

export type Message =
  | { readonly kind: 'hello'; readonly hello: Hello }
  | { readonly kind: 'lines'; readonly surface: Surface; readonly lines: string }
  | { readonly kind: 'first draw'; readonly ago_ms: number };

/** Reads a message of messages.ts. Null if it is none. */
export function readMessage(payload: string): Message | null {
  const text = payload.slice(1);
  if (/^D\d{1,7}(\.\d+)?$/.test(payload)) return { kind: 'first draw', ago_ms: Number(text) };
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
