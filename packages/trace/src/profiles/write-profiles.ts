// Writes the samples of one or several V8 profiles as `stacks` records, in order of time.
import type { NamedFrame } from './name-frame.ts';
import type { TimedSamples, V8Profile } from './v8-profile.ts';
import type { Named, StacksWriter } from './write-stacks.ts';

/** A profile and the frame at the root of all its stacks, which names its thread. */
export type ThreadProfile = {
  readonly profile: V8Profile;
  readonly root: (Named & { readonly category: string }) | null;
};

const PROGRAM: Named = { name: '(program)', place: '' };

/** A script of a recorder in the page, and the name of the function that stands for all of it. */
export type OwnScript = { readonly url: string; readonly name: string };

/**
 * Samples without work are not written. `origin` is the time of `t` 0 on the clock of the profiles, in µs. Functions of the script
 * `own` are left out: what a function of the game calls through them is called by that function. What they do by themselves is one
 * function.
 */
export function writeProfiles(
  threads: readonly ThreadProfile[],
  writer: StacksWriter,
  origin: number,
  own: OwnScript | null = null,
): void {
  const writers = threads.map((thread) => new ThreadWriter(thread, writer, origin, own));
  for (const { thread, sample } of inOrder(writers.map(({ samples }) => samples.at))) {
    writers[thread]?.write(sample);
  }
}

/** The samples of all threads by time. Samples at the same time are in the order of the threads. */
function* inOrder(times: readonly Float64Array[]): Generator<{ thread: number; sample: number }> {
  const [only] = times;
  if (only !== undefined && times.length === 1) {
    for (let sample = 0; sample < only.length; sample++) yield { thread: 0, sample };
    return;
  }
  const length = times.reduce((sum, { length: own }) => sum + own, 0);
  const thread = new Uint32Array(length);
  const sample = new Uint32Array(length);
  const at = new Float64Array(length);
  let next = 0;
  for (const [index, own] of times.entries()) {
    thread.fill(index, next, next + own.length);
    at.set(own, next);
    for (let i = 0; i < own.length; i++) sample[next++] = i;
  }
  const order = Uint32Array.from({ length }, (_, i) => i);
  order.sort((a, b) => (at[a] ?? 0) - (at[b] ?? 0) || a - b);
  for (const i of order) yield { thread: thread[i] ?? 0, sample: sample[i] ?? 0 };
}

const UNMAPPED = -2;

class ThreadWriter {
  readonly samples: TimedSamples;
  readonly #profile: V8Profile;
  readonly #root: ThreadProfile['root'];
  readonly #writer: StacksWriter;
  readonly #parents: Int32Array;
  /** Node of the profile → node of the trace. */
  readonly #mapped: Int32Array;
  /** 1 for the nodes on the way from a sample to the root, so that a cycle of parents ends. */
  readonly #onWay: Uint8Array;
  readonly #own: OwnScript | null;
  #rootNode: number | null = null;
  #programNode: number | null = null;
  #ownNode: number | null = null;

  constructor(
    { profile, root }: ThreadProfile,
    writer: StacksWriter,
    origin: number,
    own: OwnScript | null,
  ) {
    this.#own = own;
    this.samples = profile.timedSamples(origin);
    this.#profile = profile;
    this.#root = root;
    this.#writer = writer;
    this.#parents = profile.parents();
    this.#mapped = new Int32Array(this.#parents.length).fill(UNMAPPED);
    this.#onWay = new Uint8Array(this.#parents.length);
  }

  write(sample: number): void {
    const node = this.samples.node[sample] ?? 0;
    const kind = this.#profile.frame(node)?.kind;
    if (kind === 'idle') return;
    const place = kind === 'root' ? this.#program() : this.#place(node);
    this.#writer.sample(place, this.samples.at[sample] ?? 0, this.samples.weight[sample] ?? 0);
  }

  /** The node of the trace for a node of the profile. Adds the missing nodes of its path, without recursion. */
  #place(node: number): number {
    const way: number[] = [];
    let at = node;
    while (this.#isOpen(at)) {
      way.push(at);
      this.#onWay[at] = 1;
      at = this.#parents[at] ?? -1;
    }
    const known = this.#mapped[at] ?? UNMAPPED;
    let place = known === UNMAPPED ? this.#top() : known;
    for (let step = way.pop(); step !== undefined; step = way.pop()) {
      const frame = this.#profile.frame(step);
      if (frame !== undefined) place = this.#below(place, frame);
      this.#mapped[step] = place;
      this.#onWay[step] = 0;
    }
    return place;
  }

  /** The node of a function that was called by the function of `parent`. */
  #below(parent: number, frame: NamedFrame): number {
    if (this.#own === null || !frame.place.startsWith(`${this.#own.url}:`)) {
      return this.#writer.node(parent, frame, frame.category);
    }
    if (parent !== this.#top()) return parent;
    this.#ownNode ??= this.#writer.node(parent, { name: this.#own.name, place: '' }, 'js');
    return this.#ownNode;
  }

  #isOpen(node: number): boolean {
    if (node < 0 || this.#onWay[node] === 1 || this.#mapped[node] !== UNMAPPED) return false;
    return this.#profile.frame(node)?.kind !== 'root';
  }

  #top(): number {
    if (this.#root === null) return -1;
    this.#rootNode ??= this.#writer.node(-1, this.#root, this.#root.category);
    return this.#rootNode;
  }

  #program(): number {
    this.#programNode ??= this.#writer.node(this.#top(), PROGRAM, 'program');
    return this.#programNode;
  }
}
