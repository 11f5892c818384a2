// Ids: UUID version 7 (RFC 9562, §5.7), so that newer ids sort after older ones and the rest is random.
import { randomBytes } from 'node:crypto';

let lastMs = 0;
let counter = 0;

/** A new id. Within one process ids only grow, also within one millisecond. */
export function newId(): string {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  const hex = lastMs.toString(16).padStart(12, '0');
  const random = randomBytes(8);
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
  const tail = random.toString('hex');
  const order = counter.toString(16).padStart(3, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${order}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** Whether the text looks like one of our ids: what does not is looked up nowhere. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
}
