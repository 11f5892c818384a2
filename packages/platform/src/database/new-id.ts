// Ids: UUID version 7 (RFC 9562, §5.7). Newer ids sort after older ones.
import { randomBytes } from 'node:crypto';

let lastMs = 0;
let counter = 0;

/** Returns a new id. Within one process each id is greater than the previous one, even in the same millisecond. */
export function newId(): string {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  const random = randomBytes(8);
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
  const tail = random.toString('hex');
  const order = counter.toString(16).padStart(3, '0');
  return `${timePart(lastMs)}-7${order}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** Returns a text that sorts before all ids of this time, in milliseconds since 1970, and after all earlier ones. */
export function startOfIds(ms: number): string {
  return timePart(Math.max(0, ms));
}

function timePart(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Returns whether the text has the format of an id. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
}
