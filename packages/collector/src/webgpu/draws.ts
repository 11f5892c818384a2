// biome-ignore-all lint/complexity/noArguments: as in webgl/draws.ts, a rest parameter costs more.
// Draw calls and triangles of WebGPU, in passes and bundles. The draws of a bundle count when it is executed. Only the GPU knows
// the triangles of an indirect draw, so it counts as a draw without triangles.
import { field } from '../hooks/field.ts';
import { apply, type Method, replaceMethod } from '../hooks/patch.ts';
import { watch } from '../hooks/timed.ts';
import { quietly, type Sink } from '../sink/sink.ts';

/** Sums of the current frame or of one bundle. */
type Work = { draws: number; triangles: number };
/** Primitive topology: a triangle strip, or no triangles (points and lines). Triangle lists are not stored. */
type Topology = 'strip' | 'none';

/** Counts draws of passes and bundles. */
export function countGpuDraws(sink: Sink): ((() => void) | null)[] {
  const draws = new GpuDraws(sink);
  const { GPURenderPassEncoder: pass, GPURenderBundleEncoder: bundle } = globalThis;
  return [
    ...countIn(pass?.prototype, draws, () => sink.work),
    ...countIn(bundle?.prototype, draws, (encoder) => draws.bundleOf(encoder)),
    replaceMethod(pass?.prototype, 'executeBundles', (original) => {
      return function (this: unknown, ...args: never[]) {
        quietly(() => draws.execute(args[0]));
        return apply(original, this, args);
      };
    }),
    ...hookCreation(draws, bundle?.prototype, globalThis.GPUDevice?.prototype),
  ];
}

/** Hooks the draw calls of one kind of encoder. Hot path: thousands of calls per frame. */
function countIn(
  owner: object | undefined,
  draws: GpuDraws,
  workOf: (encoder: unknown) => Work | undefined,
): ((() => void) | null)[] {
  const draw = (original: Method): Method =>
    function (this: unknown, vertices?: unknown, instances?: unknown) {
      draws.add(this, workOf(this), vertices, instances ?? 1);
      return apply(original, this, arguments);
    };
  const indirect = (original: Method): Method =>
    function (this: unknown) {
      const work = workOf(this);
      if (work !== undefined) work.draws++;
      return apply(original, this, arguments);
    };
  const setPipeline = (original: Method): Method =>
    function (this: unknown, pipeline?: unknown) {
      draws.select(this, pipeline);
      return apply(original, this, arguments);
    };
  return [
    replaceMethod(owner, 'draw', draw),
    replaceMethod(owner, 'drawIndexed', draw),
    replaceMethod(owner, 'drawIndirect', indirect),
    replaceMethod(owner, 'drawIndexedIndirect', indirect),
    replaceMethod(owner, 'setPipeline', setPipeline),
  ];
}

/** Hooks the creation of bundles and of pipelines, which have a topology. */
function hookCreation(
  draws: GpuDraws,
  bundle: object | undefined,
  device: object | undefined,
): ((() => void) | null)[] {
  const after = (
    owner: object | undefined,
    name: string,
    see: (self: unknown, args: readonly unknown[], result: unknown) => void,
  ) =>
    replaceMethod(owner, name, (original) => {
      return function (this: unknown, ...args: never[]) {
        const result = apply(original, this, args);
        if (!(result instanceof Promise)) quietly(() => see(this, args, result));
        return watch(result, (value) => see(this, args, value));
      };
    });
  return [
    after(bundle, 'finish', (self, _args, result) => draws.finish(self, result)),
    ...['createRenderPipeline', 'createRenderPipelineAsync'].map((name) =>
      after(device, name, (_self, args, pipeline) => draws.note(pipeline, args[0])),
    ),
  ];
}

class GpuDraws {
  readonly #sink: Sink;
  readonly #topologies = new WeakMap<object, Topology>();
  /** Encoders whose current pipeline does not draw a triangle list. */
  readonly #current = new WeakMap<object, Topology>();
  /** Sums of bundle encoders and of their bundles. */
  readonly #bundles = new WeakMap<object, Work>();
  /** Whether any pipeline does not draw triangle lists. As long as it is false, draws need no lookup. */
  #others = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  add(encoder: unknown, work: Work | undefined, vertices: unknown, instances: unknown): void {
    if (work === undefined) return;
    work.draws++;
    const topology = this.#others && isObject(encoder) ? this.#current.get(encoder) : undefined;
    if (topology === 'none' || typeof vertices !== 'number' || typeof instances !== 'number')
      return;
    const triangles = topology === 'strip' ? vertices - 2 : Math.floor(vertices / 3);
    if (triangles > 0 && instances > 0) work.triangles += triangles * instances;
  }

  select(encoder: unknown, pipeline: unknown): void {
    if (!this.#others || !isObject(encoder) || !isObject(pipeline)) return;
    const topology = this.#topologies.get(pipeline);
    if (topology === undefined) this.#current.delete(encoder);
    else this.#current.set(encoder, topology);
  }

  /** The sums of a bundle encoder; undefined if `encoder` is not an object. */
  bundleOf(encoder: unknown): Work | undefined {
    if (!isObject(encoder)) return undefined;
    const found = this.#bundles.get(encoder) ?? { draws: 0, triangles: 0 };
    this.#bundles.set(encoder, found);
    return found;
  }

  finish(encoder: unknown, bundle: unknown): void {
    const work = this.bundleOf(encoder);
    if (work !== undefined && isObject(bundle)) this.#bundles.set(bundle, work);
  }

  execute(bundles: unknown): void {
    if (!Array.isArray(bundles)) return;
    for (const bundle of bundles) {
      const work = this.#bundles.get(bundle);
      this.#sink.work.draws += work?.draws ?? 0;
      this.#sink.work.triangles += work?.triangles ?? 0;
    }
  }

  note(pipeline: unknown, descriptor: unknown): void {
    if (!isObject(pipeline)) return;
    const topology = field(field(descriptor, 'primitive'), 'topology') ?? 'triangle-list';
    if (topology === 'triangle-list') return;
    this.#others = true;
    this.#topologies.set(pipeline, topology === 'triangle-strip' ? 'strip' : 'none');
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
