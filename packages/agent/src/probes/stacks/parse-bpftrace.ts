// Parses the maps that bpftrace prints as text: stacks, and the times of their samples. Versions 0.17
// to 0.27 break lines differently:
//
//   @a[TID,␠
//   ⇥ADDRESS SYMBOL+OFFSET (MODULE)      user space, innermost first
//   ,␠
//   ␠␠␠␠SYMBOL+OFFSET                    kernel
//   ]: NS                                the time of the first sample, which identifies the stack
//   @a_at[TID, NS]: FIRST_NS             another sample of the stack whose first one has this time
import {
  knownSymbol,
  OFFSET,
  parseUserFrame,
  type RawStack,
  STACK_FRAMES,
  type UserFrame,
} from './raw-stack.ts';

const OPENING = /^@[ab]\[(\d{1,10}),/;
const CLOSING = /^[,\s]*\]: (\d{1,19})$/;
const TIME = /^@[ab]_at\[(\d{1,10}), ?(\d{1,19})\]: (\d{1,19})$/;

type Open = {
  readonly tid: number;
  readonly user: UserFrame[];
  readonly kernel: (string | null)[];
};

/** `lost` is the number of samples whose stack was not printed. */
export type PrintedStacks = { readonly stacks: readonly RawStack[]; readonly lost: number };

/** Parses line by line. Invalid lines are skipped. */
export class BpftraceStackParser {
  #open: Open | null = null;
  /** Stacks by their thread and the time of their first sample. */
  #stacks = new Map<string, Open & { readonly firstNs: number }>();
  /** The times of further samples by the same key. */
  #times = new Map<string, number[]>();

  line(text: string): void {
    const opening = OPENING.exec(text);
    if (opening !== null) {
      this.#open = { tid: Number(opening[1]), user: [], kernel: [] };
      return;
    }
    const [, tid, ns, first] = TIME.exec(text) ?? [];
    if (first !== undefined) {
      const key = `${tid} ${first}`;
      const times = this.#times.get(key);
      if (times === undefined) this.#times.set(key, [Number(ns)]);
      else times.push(Number(ns));
      return;
    }
    if (this.#open === null) return;
    const closing = CLOSING.exec(text);
    if (closing === null) {
      takeFrame(this.#open, text);
      return;
    }
    const [, firstNs = ''] = closing;
    this.#stacks.set(`${this.#open.tid} ${firstNs}`, { ...this.#open, firstNs: Number(firstNs) });
    this.#open = null;
  }

  /** Returns the stacks since the last call. The samples of a stack must be printed within one. */
  take(): PrintedStacks {
    const stacks = Array.from(this.#stacks, ([key, { firstNs, ...stack }]): RawStack => {
      const more = this.#times.get(key) ?? [];
      this.#times.delete(key);
      return { ...stack, atNs: [firstNs, ...more] };
    });
    const lost = [...this.#times.values()].reduce((sum, { length }) => sum + length, 0);
    this.#stacks = new Map();
    this.#times = new Map();
    return { stacks, lost };
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
