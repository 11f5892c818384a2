// Draw calls and triangles of WebGPU, in passes and in bundles. What a bundle holds counts when it is executed; how many
// triangles an indirect draw makes is known to the GPU alone, so it counts as a draw without any.
import { type Method, replaceMethod } from '../patch.ts';
import { quietly, type Sink } from '../sink.ts';
import { watch } from '../timed.ts';

/** Sums of one bundle. */
type Work = { draws: number; triangles: number };
/** Vertices become triangles as a strip, or not at all (points and lines). Lists are not noted. */
type Topology = 'strip' | 'none';

/** Counts draws of passes and bundles. */
export function countGpuDraws(sink: Sink): ((() => void) | null)[] {
  const draws = new GpuDraws(sink);
  const {
    GPURenderPassEncoder: pass,
    GPURenderBundleEncoder: bundle,
    GPUDevice: device,
  } = globalThis;
  const before = (
    owner: object | undefined,
    name: string,
    see: (self: object, args: readonly unknown[]) => void,
  ) =>
    replaceMethod(owner, name, (original: Method) => {
      return function (this: unknown, ...args: never[]) {
        if (typeof this === 'object' && this !== null) see(this, args);
        return Reflect.apply(original, this, args);
      };
    });
  const after = (
    owner: object | undefined,
    name: string,
    see: (self: unknown, args: readonly unknown[], result: unknown) => void,
  ) =>
    replaceMethod(owner, name, (original: Method) => {
      return function (this: unknown, ...args: never[]) {
        const result = Reflect.apply(original, this, args);
        if (!(result instanceof Promise)) quietly(() => see(this, args, result));
        return watch(result, (value) => see(this, args, value));
      };
    });
  return [
    ...[pass?.prototype, bundle?.prototype].flatMap((owner) => [
      ...['draw', 'drawIndexed'].map((name) =>
        before(owner, name, (self, args) => draws.add(self, args[0], args[1] ?? 1)),
      ),
      ...['drawIndirect', 'drawIndexedIndirect'].map((name) =>
        before(owner, name, (self) => draws.add(self, 0, 0)),
      ),
      before(owner, 'setPipeline', (self, args) => draws.select(self, args[0])),
    ]),
    before(pass?.prototype, 'executeBundles', (_self, args) =>
      quietly(() => draws.execute(args[0])),
    ),
    after(bundle?.prototype, 'finish', (self, _args, result) => draws.finish(self, result)),
    ...['createRenderPipeline', 'createRenderPipelineAsync'].map((name) =>
      after(device?.prototype, name, (_self, args, pipeline) => draws.note(pipeline, args[0])),
    ),
  ];
}

class GpuDraws {
  readonly #sink: Sink;
  readonly #topologies = new WeakMap<object, Topology>();
  /** Encoders whose pipeline draws no list of triangles. */
  readonly #current = new WeakMap<object, Topology>();
  /** Bundle encoders, and then their bundles. */
  readonly #bundles = new WeakMap<object, Work>();
  /** Whether there is any pipeline but of triangle lists: as long as not, no draw looks anything up. */
  #others = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  add(encoder: object, vertices: unknown, instances: unknown): void {
    const work = this.#workOf(encoder);
    const topology = this.#others ? this.#current.get(encoder) : undefined;
    work.draws++;
    if (topology === 'none' || typeof vertices !== 'number' || typeof instances !== 'number')
      return;
    work.triangles +=
      (topology === 'strip' ? Math.max(0, vertices - 2) : Math.floor(vertices / 3)) * instances;
  }

  select(encoder: object, pipeline: unknown): void {
    if (!this.#others || typeof pipeline !== 'object' || pipeline === null) return;
    const topology = this.#topologies.get(pipeline);
    if (topology === undefined) this.#current.delete(encoder);
    else this.#current.set(encoder, topology);
  }

  finish(encoder: unknown, bundle: unknown): void {
    if (
      typeof encoder !== 'object' ||
      encoder === null ||
      typeof bundle !== 'object' ||
      bundle === null
    )
      return;
    this.#bundles.set(bundle, this.#workOf(encoder));
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
    if (typeof pipeline !== 'object' || pipeline === null) return;
    const topology = topologyOf(descriptor);
    if (topology === 'triangle-list') return;
    this.#others = true;
    this.#topologies.set(pipeline, topology === 'triangle-strip' ? 'strip' : 'none');
  }

  #workOf(encoder: object): Work {
    if (encoder instanceof GPURenderPassEncoder) return this.#sink.work;
    const found = this.#bundles.get(encoder) ?? { draws: 0, triangles: 0 };
    this.#bundles.set(encoder, found);
    return found;
  }
}

function topologyOf(descriptor: unknown): string {
  const primitive = field(descriptor, 'primitive');
  const topology = field(primitive, 'topology');
  return typeof topology === 'string' ? topology : 'triangle-list';
}

function field(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, key) : undefined;
}
