// Parses the maps of stacks that bpftrace prints as text. Versions 0.17 to 0.27 break lines
// differently:
//
//   @a[TID,␠
//   ⇥ADDRESS SYMBOL+OFFSET (MODULE)      user space, innermost first
//   ,␠
//   ␠␠␠␠SYMBOL+OFFSET                    kernel
//   ]: COUNT
import {
  knownSymbol,
  OFFSET,
  parseUserFrame,
  type RawStack,
  STACK_FRAMES,
  type UserFrame,
} from './raw-stack.ts';

const OPENING = /^@[ab]\[(\d{1,10}),/;
const CLOSING = /^[,\s]*\]: (\d{1,9})$/;

type Open = {
  readonly tid: number;
  readonly user: UserFrame[];
  readonly kernel: (string | null)[];
};

/** Parses line by line and calls back with each complete stack. Invalid lines are skipped. */
export class BpftraceStackParser {
  readonly #found: (stack: RawStack) => void;
  #open: Open | null = null;

  constructor(found: (stack: RawStack) => void) {
    this.#found = found;
  }

  line(text: string): void {
    const opening = OPENING.exec(text);
    if (opening !== null) {
      this.#open = { tid: Number(opening[1]), user: [], kernel: [] };
      return;
    }
    if (this.#open === null) return;
    const closing = CLOSING.exec(text);
    if (closing === null) {
      takeFrame(this.#open, text);
      return;
    }
    const count = Number(closing[1]);
    if (count > 0) this.#found({ ...this.#open, count });
    this.#open = null;
  }
}

function takeFrame({ user, kernel }: Open, text: string): void {
  if (text.startsWith('\t')) {
    const frame = parseUserFrame(text.slice(1));
    if (frame !== null && user.length < STACK_FRAMES.user) user.push(frame);
  } else if (text.startsWith('  ') && kernel.length < STACK_FRAMES.kernel) {
    const symbol = text.trim().replace(OFFSET, '');
    if (symbol !== '') kernel.push(knownSymbol(symbol));
  }
}
