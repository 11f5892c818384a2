// From what a collector prints of a stack to the frames that the trace keeps: named, told apart, without private paths.
import { basename } from 'node:path';
import { cleanName } from '@svc/trace';
import type { MemoryMap } from './memory-map.ts';
import type { PerfMap } from './perf-map.ts';
import type { RawStack, UserFrame } from './raw-stack.ts';
import { type Frame, NAME_CHARACTERS } from './stack-table.ts';

/** Names are cleaned once; beyond this many the memory of them begins anew. */
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

  /** The stack from its outermost frame on, `thread` at its root. */
  stack(thread: string, { user, kernel }: RawStack): Frame[] {
    const frames: Frame[] = [{ name: this.#cleaned(thread), category: '' }];
    const add = (frame: Frame): void => {
      const before = frames.at(-1);
      // A run of frames that can't be told apart says no more than one.
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
      // The live map first: what the collector knows of compiled code is as old as its own start.
      const name = this.#perfMap.nameAt(address) ?? (compiled ? symbol : null);
      if (name !== null) return { name: this.#cleaned(oneTier(name)), category: 'jit' };
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

/** V8 names a function anew each time it compiles it better (`JS:~f`, `JS:^f`, `JS:+'f`, `JS:*f`): it is one function. */
function oneTier(name: string): string {
  const plain = /^JS:[~^*+'-]*(.*)$/.exec(name)?.[1];
  if (plain === undefined) return name;
  return plain.startsWith(' ') || plain === '' ? `(anonymous)${plain}` : plain;
}

function unknownIn(file: string, cleaned: (text: string) => string): Frame {
  return { name: `[${cleaned(file.replaceAll(/^\[|\]$/g, ''))}]`, category: 'unknown' };
}
