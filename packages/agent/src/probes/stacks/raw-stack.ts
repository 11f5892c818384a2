// A sampled stack as a collector prints it, and the frame format that bpftrace and perf share.

/** A frame of user space. */
export type UserFrame = {
  /** Address in the target's memory. */
  readonly address: number;
  /** Null if the collector found none. */
  readonly symbol: string | null;
  /** The file that is mapped there. Null if the collector found none. */
  readonly module: string | null;
};

export type RawStack = {
  readonly tid: number;
  /** Both lists start with the innermost frame. A kernel frame without a symbol is null. */
  readonly user: readonly UserFrame[];
  readonly kernel: readonly (string | null)[];
  /** The time of each sample with this stack, in CLOCK_MONOTONIC nanoseconds. Null if it is unknown. */
  readonly atNs: readonly (number | null)[];
};

/**
 * The most frames of one stack in user space and in the kernel. Collectors are limited to the same
 * numbers.
 */
export const STACK_FRAMES = { user: 96, kernel: 48 } as const;

/** The symbol that a tool prints, or null if it prints a placeholder for an unknown one. */
export function knownSymbol(text: string): string | null {
  return text === '' || text === '[unknown]' || /^0x[\da-f]+$/.test(text) ? null : text;
}

/** The offset within a function, which follows the symbol. */
export const OFFSET: RegExp = /\+(?:\d+|0x[\da-f]+)$/;

/**
 * Parses `ADDRESS SYMBOL+OFFSET (MODULE)`, or returns null. It scans by hand in one pass, because
 * symbols and paths come from the target and could be made to slow down a regular expression.
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

/**
 * The index of the parenthesis that matches the one at the end of the text. −1 if the text does not
 * end with one.
 */
function openOfLastBracket(text: string): number {
  if (!text.endsWith(')')) return -1;
  let depth = 0;
  for (let at = text.length - 1; at > 0; at--) {
    if (text[at] === ')') depth++;
    else if (text[at] === '(' && --depth === 0) return text[at - 1] === ' ' ? at : -1;
  }
  return -1;
}
