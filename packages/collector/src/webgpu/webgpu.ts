// The parts of WebGPU that are recorded: textures and buffers with their bytes, writes, pipelines and draws. GPU time is not
// recorded, because the game would have to request timestamp queries when it creates its device.
import { roundMs } from '@svc/trace/write';
import type { Asset, Assets } from '../assets/assets.ts';
import type { GpuObject, GpuObjects } from '../gpu/gpu-objects.ts';
import { nameOfShader } from '../gpu/shader-name.ts';
import { field } from '../hooks/field.ts';
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
  const record = (
    descriptor: unknown,
    what: string,
    name: string | undefined,
    at: number,
    blocked: number,
  ): Asset => {
    const label = field(descriptor, 'label');
    const known = typeof label === 'string' && label !== '' ? label : name;
    const asset =
      known === undefined ? assets.unnamed(what, 'shader') : assets.ofName(known, 'shader');
    const duration_ms = roundMs(now() - at);
    assets.record(asset, 'compile', at, { duration_ms, main_thread_ms: roundMs(blocked) });
    return asset;
  };
  const recordPipeline = (descriptor: unknown, at: number, blocked: number) => {
    const module = ['fragment', 'compute', 'vertex']
      .map((stage) => assets.of(field(field(descriptor, stage), 'module'), 'shader'))
      .find(Boolean);
    record(descriptor, 'pipeline', module && `pipeline ${module.name}`, at, blocked);
  };
  return [
    timeMethod(sink, device, 'createShaderModule', (_self, [descriptor], module, at, ms) => {
      const code = field(descriptor, 'code');
      const name = nameOfShader(typeof code === 'string' ? [code] : []);
      assets.tie(module, record(descriptor, 'shader', name, at, ms));
    }),
    ...['createRenderPipeline', 'createComputePipeline'].flatMap((name) => [
      timeMethod(sink, device, name, (_self, [descriptor], _result, at, ms) =>
        recordPipeline(descriptor, at, ms),
      ),
      timePromise(sink, device, `${name}Async`, (_self, [descriptor], _pipeline, { at, ms }) =>
        recordPipeline(descriptor, at, ms),
      ),
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
