// Parses the output of `perf script --ns -F comm,pid,tid,time,ip,sym,dso`, one sample after another:
//
//   COMM PID/TID SECONDS.NANOSECONDS:␠
//   ⇥       ADDRESS SYMBOL (MODULE)      innermost first, kernel frames before the others
//   (an empty line)
import { parseUserFrame, type RawStack, STACK_FRAMES, type UserFrame } from './raw-stack.ts';

/** A heading without a time is a sample whose time is unknown. */
const HEADING = /\s\d{1,10}\/(\d{1,10})(?:\s+(\d{1,10})\.(\d{9}):)?\s*$/;
/** A module in square brackets is the kernel or a module of it, with these exceptions. */
const USER_BRACKETS = /^\[(?:vdso|vsyscall|heap|stack|uprobes)\]$/;

type Open = {
  readonly tid: number;
  readonly atNs: readonly [number | null];
  readonly user: UserFrame[];
  readonly kernel: (string | null)[];
};

/** Parses line by line and calls back with each complete sample. Invalid lines are skipped. */
export class PerfStackParser {
  readonly #found: (stack: RawStack) => void;
  #open: Open | null = null;

  constructor(found: (stack: RawStack) => void) {
    this.#found = found;
  }

  line(text: string): void {
    if (text.trim() === '') this.finish();
    else if (this.#open !== null && /^\s/.test(text)) takeFrame(this.#open, text.trim());
    else this.#open = openSample(text);
  }

  /** Reports the last sample if no empty line follows it. */
  finish(): void {
    if (this.#open !== null) this.#found(this.#open);
    this.#open = null;
  }
}

function openSample(heading: string): Open | null {
  const [, tid, seconds, ns] = HEADING.exec(heading) ?? [];
  if (tid === undefined) return null;
  const atNs = seconds === undefined ? null : Number(seconds) * 1e9 + Number(ns);
  return { tid: Number(tid), atNs: [atNs], user: [], kernel: [] };
}

function takeFrame({ user, kernel }: Open, text: string): void {
  const frame = parseUserFrame(text);
  if (frame === null) return;
  if (isKernel(frame.module)) {
    if (kernel.length < STACK_FRAMES.kernel) kernel.push(frame.symbol);
  } else if (user.length < STACK_FRAMES.user) user.push(frame);
}

function isKernel(module: string | null): boolean {
  return module?.startsWith('[') === true && !USER_BRACKETS.test(module);
}
