// The parts of WebGPU that are recorded: textures and buffers with their bytes, writes, pipelines and draws. GPU time is not
// recorded, because the game would have to request timestamp queries when it creates its device.
import { roundMs } from '@svc/trace/write';
import type { Assets } from '../assets/assets.ts';
import type { GpuObject, GpuObjects } from '../gpu/gpu-objects.ts';
import { undoAll } from '../hooks/patch.ts';
import { type After, timeMethod, timePromise } from '../hooks/timed.ts';
import { now } from '../sink/clock.ts';
import { type Part, quietly, type Sink } from '../sink/sink.ts';
import { countGpuDraws } from './draws.ts';
import { textureBytes } from './formats.ts';

/** Records all devices of the page. */
export function webgpu(objects: GpuObjects): Part {
  return (sink) => {
    if (globalThis.GPUDevice === undefined) return 'the browser has no WebGPU';
    const undos = [
      ...followMemory(sink, objects),
      ...followWrites(sink, objects),
      ...followPipelines(sink, objects.assets),
    ];
    const draws = countGpuDraws(sink);
    // Restored in reverse order, because some methods are replaced twice.
    undos.push(...draws);
    if (undos.every((undo) => undo === null)) return 'its methods cannot be replaced';
    if (draws.some((undo) => undo !== null)) sink.columns.draws = true;
    return () => undoAll(undos);
  };
}

function followMemory(sink: Sink, objects: GpuObjects): ((() => void) | null)[] {
  const onDestroyed: After = (self, _args, _result, at, ms) => objects.remove(self, at, ms);
  const heard = new WeakSet<object>();
  /** A device that is lost or destroyed has no memory. */
  const watchLoss = (device: object) => {
    if (!(device instanceof GPUDevice) || heard.has(device)) return;
    heard.add(device);
    const onLost = ({ reason }: GPUDeviceLostInfo) => {
      if (!sink.on) return;
      objects.loseContext(device, now(), true);
      if (reason === 'destroyed') return;
      sink.write({ type: 'log', t: sink.now(), level: 'warn', text: 'WebGPU device lost' });
    };
    device.lost.then((info) => quietly(() => onLost(info)));
  };
  return [
    timeMethod(sink, GPUDevice.prototype, 'createTexture', (self, _args, result, at, ms) => {
      if (!(result instanceof GPUTexture)) return;
      watchLoss(self);
      nameByLabel(objects.assets, result, 'texture');
      const texture = objects.of(result, 'texture', 'texture', self);
      if (texture === undefined) return;
      const bytes = textureBytes(result);
      objects.update(texture, { what: 'texture', kind: 'texture', at, ms, bytes });
      describe(objects, texture, result);
    }),
    timeMethod(sink, GPUDevice.prototype, 'createBuffer', (self, _args, result, at, ms) => {
      if (!(result instanceof GPUBuffer)) return;
      watchLoss(self);
      nameByLabel(objects.assets, result, 'mesh');
      const buffer = objects.of(result, 'buffer', 'mesh', self);
      if (buffer !== undefined)
        objects.update(buffer, { what: 'buffer', kind: 'mesh', at, ms, bytes: result.size });
    }),
    timeMethod(sink, GPUTexture.prototype, 'destroy', onDestroyed),
    timeMethod(sink, GPUBuffer.prototype, 'destroy', onDestroyed),
  ];
}

function followWrites(sink: Sink, objects: GpuObjects): ((() => void) | null)[] {
  const writeTo = (target: unknown, source: unknown, at: number, ms: number) => {
    const isTexture = target instanceof GPUTexture;
    if (!isTexture && !(target instanceof GPUBuffer)) return;
    const [what, kind] = isTexture
      ? (['texture', 'texture'] as const)
      : (['buffer', 'mesh'] as const);
    const object = objects.of(target, what, kind, null);
    if (object === undefined) return;
    const bytes = isTexture ? textureBytes(target) : target.size;
    const from = objects.assets.of(source, kind);
    objects.update(object, { what, kind, at, ms, bytes, from });
    if (isTexture) describe(objects, object, target);
  };
  const queue = GPUQueue.prototype;
  return [
    timeMethod(sink, queue, 'writeTexture', (_self, args, _result, at, ms) =>
      writeTo(field(args[0], 'texture'), args[1], at, ms),
    ),
    timeMethod(sink, queue, 'copyExternalImageToTexture', (_self, args, _result, at, ms) =>
      writeTo(field(args[1], 'texture'), field(args[0], 'source'), at, ms),
    ),
    timeMethod(sink, queue, 'writeBuffer', (_self, args, _result, at, ms) =>
      writeTo(args[0], args[2], at, ms),
    ),
  ];
}

function followPipelines(sink: Sink, assets: Assets): ((() => void) | null)[] {
  const device = GPUDevice.prototype;
  const record = (descriptor: unknown, what: string, at: number, blocked: number) => {
    const label = field(descriptor, 'label');
    const named = typeof label === 'string' && label !== '';
    const asset = named ? assets.ofName(label, 'shader') : assets.unnamed(what, 'shader');
    const duration_ms = roundMs(now() - at);
    assets.record(asset, 'compile', at, { duration_ms, main_thread_ms: roundMs(blocked) });
  };
  const made = (name: string, what: string) =>
    timePromise(sink, device, name, (_self, args, _pipeline, { at, ms }) =>
      record(args[0], what, at, ms),
    );
  return [
    timeMethod(sink, device, 'createShaderModule', (_self, args, _result, at, ms) =>
      record(args[0], 'shader', at, ms),
    ),
    ...['createRenderPipeline', 'createComputePipeline'].flatMap((name) => [
      timeMethod(sink, device, name, (_self, args, _result, at, ms) =>
        record(args[0], 'pipeline', at, ms),
      ),
      made(`${name}Async`, 'pipeline'),
    ]),
  ];
}

function nameByLabel(
  assets: Assets,
  object: GPUTexture | GPUBuffer,
  kind: 'texture' | 'mesh',
): void {
  if (object.label !== '' && assets.tiedTo(object) === undefined) {
    assets.tie(object, assets.ofName(object.label, kind));
  }
}

function describe(objects: GpuObjects, object: GpuObject, texture: GPUTexture): void {
  const { width, height, depthOrArrayLayers, format } = texture;
  objects.describe(object, format, [width, height, depthOrArrayLayers]);
}

function field(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, key) : undefined;
}
