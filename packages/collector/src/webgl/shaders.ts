// Shader work of WebGL: the time in compileShader and linkProgram, and in the first query of the result, which waits for drivers
// that work in the background. The collector makes no queries of its own.
import { roundMs } from '@svc/trace/write';
import type { Asset, Assets } from '../assets/assets.ts';
import type { GpuObjects } from '../gpu/gpu-objects.ts';
import { nameOfShader } from '../gpu/shader-name.ts';
import type { Sink } from '../sink/sink.ts';
import { type AfterGl, timeGl } from './contexts.ts';

/** Shorter waits are ignored. */
const WAIT_MS = 0.05;

/** The source of a shader, and the time that the shader took until its program is linked. */
type Work = { source: string; ms: number };

/** Records the work on shaders and programs of the given context prototypes. */
export function followShaders(
  sink: Sink,
  objects: GpuObjects,
  owners: readonly object[],
): ((() => void) | null)[] {
  const programs = new Programs(objects.assets);
  const time = (name: string, after: AfterGl) => timeGl(sink, owners, name, after);
  const addShaderTime: AfterGl = (_gl, [shader], _result, _at, ms) => {
    programs.workOf(shader).ms += ms;
  };
  const addWait: AfterGl = (_gl, [program], _result, at, ms) => programs.wait(program, at, ms);
  return [
    ...time('shaderSource', (_gl, [shader, source]) => {
      if (typeof source === 'string') programs.workOf(shader).source = source;
    }),
    ...['compileShader', 'getShaderParameter', 'getShaderInfoLog'].flatMap((name) =>
      time(name, addShaderTime),
    ),
    ...time('attachShader', (_gl, [program, shader]) => programs.attachedTo(program)?.add(shader)),
    ...time('detachShader', (_gl, [program, shader]) =>
      programs.attachedTo(program)?.delete(shader),
    ),
    ...time('linkProgram', (_gl, [program], _result, at, ms) => programs.link(program, at, ms)),
    ...['getProgramParameter', 'getProgramInfoLog', 'useProgram', 'getUniformLocation'].flatMap(
      (name) => time(name, addWait),
    ),
    ...time('deleteProgram', (_gl, [program], _result, at) => {
      const asset = programs.remove(program);
      if (asset !== undefined) objects.uploads.release(asset, at, 0, 0);
    }),
  ];
}

/** The programs of all contexts, with their shaders and assets. */
class Programs {
  readonly #assets: Assets;
  readonly #shaders = new WeakMap<object, Work>();
  readonly #linked = new WeakMap<object, Asset>();
  /** The attached shaders of each program. `getAttachedShaders` would write a warning for programs of another context. */
  readonly #attached = new WeakMap<object, Set<unknown>>();

  constructor(assets: Assets) {
    this.#assets = assets;
  }

  /** The work on a shader; a new one is added. */
  workOf(shader: unknown): Work {
    if (typeof shader !== 'object' || shader === null) return { source: '', ms: 0 };
    const found = this.#shaders.get(shader) ?? { source: '', ms: 0 };
    this.#shaders.set(shader, found);
    return found;
  }

  /** The attached shaders of a program; undefined if `program` is not an object. */
  attachedTo(program: unknown): Set<unknown> | undefined {
    if (typeof program !== 'object' || program === null) return undefined;
    const found = this.#attached.get(program) ?? new Set();
    this.#attached.set(program, found);
    return found;
  }

  /** Records the link of a program with the work on its shaders. */
  link(program: unknown, at: number, ms: number): void {
    if (typeof program !== 'object' || program === null) return;
    const parts = [...(this.attachedTo(program) ?? [])].map((shader) => this.workOf(shader));
    let total = ms;
    for (const part of parts) {
      total += part.ms;
      part.ms = 0;
    }
    this.#record(program, this.#assetOf(program, parts), at, total);
  }

  /** Records the first query after linking, which waits for the driver. Later queries return at once. */
  wait(program: unknown, at: number, ms: number): void {
    if (ms < WAIT_MS || typeof program !== 'object' || program === null) return;
    const asset = this.#linked.get(program);
    if (asset !== undefined) this.#record(program, asset, at, ms);
  }

  /** The asset of a linked program, once: the program is then deleted. */
  remove(program: unknown): Asset | undefined {
    if (typeof program !== 'object' || program === null) return undefined;
    const asset = this.#linked.get(program);
    this.#linked.delete(program);
    return asset;
  }

  #assetOf(program: object, parts: readonly Work[]): Asset {
    const known = this.#assets.tiedTo(program) ?? this.#linked.get(program);
    if (known !== undefined) return known;
    const name = nameOfShader(parts.map(({ source }) => source));
    return name === undefined
      ? this.#assets.unnamed('shader', 'shader')
      : this.#assets.ofName(name, 'shader');
  }

  #record(program: object, asset: Asset, at: number, ms: number): void {
    this.#linked.set(program, asset);
    const time = roundMs(ms);
    this.#assets.record(asset, 'compile', at, { duration_ms: time, main_thread_ms: time });
  }
}
