// `@svc/collector`: the whole collector. One recording runs at a time. No function throws, writes to the console or opens a connection.

import type { StartOptions } from './api.ts';
import { GpuObjects } from './gpu/gpu-objects.ts';
import { imageDecoders } from './loads/image-decoder.ts';
import { begin } from './recording/active.ts';
import type { Graphics } from './recording/recording.ts';
import { quietly } from './sink/sink.ts';
import { webgl } from './webgl/webgl.ts';
import { webgpu } from './webgpu/webgpu.ts';

export * from './api.ts';
export * from './recording/functions.ts';

/** Starts recording. Does nothing if a recording is running. */
export function start(options?: StartOptions): void {
  quietly(() => begin(options ?? {}, graphics));
}

const graphics: Graphics = (assets, wanted) => {
  const objects = new GpuObjects(assets);
  return {
    objects,
    parts: [
      ['images', imageDecoders(assets), 'image decoders'],
      ['webgl', webgl(objects, wanted.gpuTimer !== false)],
      ['webgpu', webgpu(objects)],
    ],
  };
};
