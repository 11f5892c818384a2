// `@svc/collector`: everything. One recording runs at a time; nothing here throws, writes to the console or connects.

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

/** Starts recording. While one runs already, that one goes on and the options are not looked at. */
export function start(options: StartOptions = {}): void {
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
