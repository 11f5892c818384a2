// Shortens names. A path, an address or a qualified function is cut in its middle, because its end identifies it. Pure.

/** The number of characters at the end of a name that are searched for its last part. */
const SEARCHED = 512;
const OPENING = '(<[{';
const CLOSING = ')>]}';
/** A position at the end: `:12`, `:12:3`, also in parentheses. */
const POSITION = /:\d+(?::\d+)?\)?$/;
/** A hash at the end, of which a few digits are enough. */
const HASH = /[0-9a-f]{6}(?<=[0-9a-f]{12})$/i;

/**
 * Returns the part at the end of a name that identifies it, with the separator before it: the file of a path or address, the
 * last part of `a::b` or `a.b`, a position, the last digits of a hash. Returns an empty text if the name has no such part.
 */
export function tailOf(name: string): string {
  const end = name.slice(-SEARCHED);
  const from = lastSeparator(end);
  if (from >= 0) return end.slice(from);
  return (POSITION.exec(end) ?? HASH.exec(end))?.[0] ?? '';
}

/** Returns the index of the last separator outside of brackets that has something on both sides, or −1. */
function lastSeparator(text: string): number {
  const dots = !/\s/.test(text);
  let [depth, slash, dot] = [0, -1, -1];
  for (let i = 0; i < text.length - 1; i++) {
    const char = text.charAt(i);
    if (OPENING.includes(char)) depth++;
    else if (CLOSING.includes(char)) depth = Math.max(0, depth - 1);
    else if (depth > 0 || i === 0) continue;
    else if (char === '/' || char === '\\') slash = i;
    else if (char === ':' && text.charAt(i - 1) === ':') slash = i - 1;
    else if (dots && char === '.') dot = i;
  }
  return slash >= 0 ? slash : dot;
}

/**
 * Shortens a name to at most `room` characters, with an ellipsis. The last part stays whole if it fits. If it does not, its
 * own start and end are shown. A name without such a part is cut at its end.
 */
export function fitName(name: string, room: number): string {
  if (name.length <= room) return name;
  if (room < 1) return '';
  const kept = Math.floor(room) - 1;
  const tail = tailOf(name);
  if (tail === '') return `${startOf(name, kept)}…`;
  if (tail.length < kept) return `${startOf(name, kept - tail.length)}…${tail}`;
  const last = tail.replace(/^[/\\:.]+/, '');
  if (last.length <= kept) return `…${last}`;
  const start = Math.ceil(kept / 2);
  return `${startOf(last, start)}…${endOf(last, kept - start)}`;
}

/** The first characters, without half of a surrogate pair. */
function startOf(text: string, count: number): string {
  return text.slice(0, count).replace(/[\ud800-\udbff]$/, '');
}

/** The last characters, without half of a surrogate pair. */
function endOf(text: string, count: number): string {
  return count === 0 ? '' : text.slice(-count).replace(/^[\udc00-\udfff]/, '');
}
