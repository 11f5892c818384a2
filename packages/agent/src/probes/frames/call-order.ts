// Puts the calls of each thread in order, and notices lost ones. A call is lost if a map or a buffer of
// the kernel is full, and may come a second late if the maps are exchanged in the middle of it.
import type { Swap } from './parse-frame-line.ts';

/** The most threads, and the most calls of one thread that wait for an earlier one. */
const MOST_THREADS = 1024;
const MOST_WAITING = 65_536;

type Thread = {
  /** The number of the next call. */
  next: number;
  /** Calls that arrived before an earlier one. */
  readonly waiting: Map<number, Swap>;
  /** Whether calls waited at the last tick. */
  hasWaited: boolean;
};

/** A call after the earlier ones of its thread, and the number of those that were lost just before. */
export type OrderedSwap = Swap & { readonly lostBefore: number };

export class CallOrder {
  readonly #threads = new Map<number, Thread>();
  #ordered: OrderedSwap[] = [];

  /** The calls that are in order since the last call of this, by their time. */
  take(): OrderedSwap[] {
    const ordered = this.#ordered;
    this.#ordered = [];
    return ordered.sort((a, b) => a.ns - b.ns);
  }

  add(swap: Swap): void {
    const thread = this.#threadOf(swap.tid);
    // A call that does not fit is missing later, and is lost then.
    if (thread === null || thread.waiting.size >= MOST_WAITING || swap.call < thread.next) return;
    thread.waiting.set(swap.call, swap);
    this.#release(thread, 0);
  }

  /**
   * Called each second. A call that still waits then has waited for more than a second for one that
   * was lost.
   */
  tick(): void {
    for (const thread of this.#threads.values()) {
      if (thread.hasWaited && thread.waiting.size > 0) this.#skip(thread);
      thread.hasWaited = thread.waiting.size > 0;
    }
  }

  /** Forgets the numbers of calls, because the collector counts from 1 again. */
  restart(): void {
    this.#threads.clear();
  }

  #threadOf(tid: number): Thread | null {
    const known = this.#threads.get(tid);
    if (known !== undefined) return known;
    if (this.#threads.size >= MOST_THREADS) return null;
    const thread: Thread = { next: 1, waiting: new Map(), hasWaited: false };
    this.#threads.set(tid, thread);
    return thread;
  }

  #release(thread: Thread, lost: number): void {
    let lostBefore = lost;
    for (;;) {
      const swap = thread.waiting.get(thread.next);
      if (swap === undefined) return;
      thread.waiting.delete(thread.next++);
      this.#ordered.push({ ...swap, lostBefore });
      lostBefore = 0;
    }
  }

  #skip(thread: Thread): void {
    let first = Number.POSITIVE_INFINITY;
    for (const call of thread.waiting.keys()) first = Math.min(first, call);
    const lost = first - thread.next;
    thread.next = first;
    this.#release(thread, lost);
  }
}
