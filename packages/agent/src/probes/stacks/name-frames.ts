// Names the frames of a stack for the trace. Unknown frames stay distinguishable, and no private
// paths are kept.
import { basename } from 'node:path';
import { cleanName } from '@svc/trace';
import type { MemoryMap } from './memory-map.ts';
import type { PerfMap } from './perf-map.ts';
import type { RawStack, UserFrame } from './raw-stack.ts';
import { type Frame, NAME_CHARACTERS } from './stack-table.ts';

/** The most cleaned names that are cached. Then the cache is emptied. */
const NAMES_KEPT = 65_536;

const PERF_MAP_MODULE = /(^|\/)perf-\d+\.map$/;

/** Names the frames of one process. */
export class FrameNames {
  readonly #perfMap: PerfMap;
  readonly #memory: MemoryMap;
  readonly #clean = new Map<string, string>();

  constructor(perfMap: PerfMap, memory: MemoryMap) {
    this.#perfMap = perfMap;
    this.#memory = memory;
  }

  /** The stack from its outermost frame, with `thread` as its root. */
  stack(thread: Frame, { user, kernel }: Pick<RawStack, 'user' | 'kernel'>): Frame[] {
    const frames: Frame[] = [{ ...thread, name: this.#cleaned(thread.name) }];
    const add = (frame: Frame): void => {
      const before = frames.at(-1);
      // Consecutive unknown frames of one file are the same as a single one.
      if (frame.category === 'unknown' && before?.name === frame.name) return;
      frames.push(frame);
    };
    for (const frame of user.toReversed()) add(this.#userFrame(frame));
    for (const symbol of kernel.toReversed()) {
      add({ name: this.#cleaned(symbol ?? '[kernel]'), category: 'kernel' });
    }
    return frames;
  }

  #userFrame({ address, symbol, module }: UserFrame): Frame {
    const compiled = module !== null && PERF_MAP_MODULE.test(module);
    if (compiled || symbol === null) {
      // The live map comes first, because the collector may know only code from before its start.
      const name = this.#perfMap.nameAt(address) ?? (compiled ? symbol : null);
      if (name !== null) return { name: this.#cleaned(withoutTier(name)), category: 'jit' };
    }
    if (symbol !== null) return { name: this.#cleaned(symbol), category: '' };
    if (module !== null && !compiled) return unknownIn(basename(module), this.#cleaned);
    const mapping = this.#memory.at(address);
    if (mapping?.kind === 'file') return unknownIn(mapping.name, this.#cleaned);
    return mapping === null
      ? { name: '[unknown]', category: 'unknown' }
      : { name: '[jit]', category: 'jit' };
  }

  readonly #cleaned = (text: string): string => {
    const known = this.#clean.get(text);
    if (known !== undefined) return known;
    const name = cleanName(text.replaceAll(/\p{Cc}/gu, '�'));
    const short = (name.slice(0, NAME_CHARACTERS) || '[unknown]').toWellFormed();
    if (this.#clean.size >= NAMES_KEPT) this.#clean.clear();
    this.#clean.set(text, short);
    return short;
  };
}

/**
 * Removes the tier from a V8 function name. V8 reports a function again under a new prefix each
 * time it optimizes it (`JS:~f`, `JS:^f`, `JS:+'f`, `JS:*f`).
 */
function withoutTier(name: string): string {
  const plain = /^JS:[~^*+'-]*(.*)$/.exec(name)?.[1];
  if (plain === undefined) return name;
  return plain.startsWith(' ') || plain === '' ? `(anonymous)${plain}` : plain;
}

/** Code of the kernel that is mapped into each process, for example to read the clock. */
const KERNEL_FILES: ReadonlySet<string> = new Set(['[vdso]', '[vsyscall]']);

function unknownIn(file: string, cleaned: (text: string) => string): Frame {
  const name = `[${cleaned(file.replaceAll(/^\[|\]$/g, ''))}]`;
  return { name, category: KERNEL_FILES.has(file) ? 'kernel' : 'unknown' };
}
