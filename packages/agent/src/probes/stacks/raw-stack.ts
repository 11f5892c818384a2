// A sampled stack as a collector prints it, before its frames are named for the trace; and the form of a frame that
// bpftrace and perf have in common.

/** A frame of user space: where it is, and what the collector took it for. */
export type UserFrame = {
  /** In the target's memory. */
  readonly address: number;
  /** Null where the collector found none. */
  readonly symbol: string | null;
  /** File that is mapped there; null where the collector found none. */
  readonly module: string | null;
};

export type RawStack = {
  readonly tid: number;
  /** Innermost first, both; kernel frames by symbol, null where it has none. */
  readonly user: readonly UserFrame[];
  readonly kernel: readonly (string | null)[];
  /** How many samples had this stack. */
  readonly count: number;
};

/** Most frames of one stack, user space and kernel each; collectors are asked for no more. */
export const STACK_FRAMES = { user: 96, kernel: 48 } as const;

/** A symbol as tools print it, or null for what they print where they know none. */
export function knownSymbol(text: string): string | null {
  return text === '' || text === '[unknown]' || /^0x[\da-f]+$/.test(text) ? null : text;
}

/** How far into a function a frame is, as it stands behind the symbol. */
export const OFFSET: RegExp = /\+(?:\d+|0x[\da-f]+)$/;

/**
 * A frame as `ADDRESS SYMBOL+OFFSET (MODULE)`; null for anything else. By hand and in one pass: symbols and paths are the
 * target's, and may be made to keep an expression busy.
 */
export function parseUserFrame(text: string): UserFrame | null {
  const space = text.indexOf(' ');
  const digits = text.slice(0, space);
  if (!/^[\da-f]{1,16}$/.test(digits)) return null;
  const open = openOfLastBracket(text);
  const symbol = text.slice(space + 1, open === -1 ? text.length : open - 1).replace(OFFSET, '');
  const module = open === -1 ? '' : text.slice(open + 1, -1);
  return {
    address: Number.parseInt(digits, 16),
    symbol: knownSymbol(symbol),
    module: module === '' || module === '[unknown]' ? null : module,
  };
}

/** Where the bracket opens that the text ends with, brackets within it counted; −1 where it does not end so. */
function openOfLastBracket(text: string): number {
  if (!text.endsWith(')')) return -1;
  let depth = 0;
  for (let at = text.length - 1; at > 0; at--) {
    if (text[at] === ')') depth++;
    else if (text[at] === '(' && --depth === 0) return text[at - 1] === ' ' ? at : -1;
  }
  return -1;
}
