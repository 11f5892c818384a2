// `@svc/collector`: the whole collector. One recording runs at a time. No function throws, writes to the console or opens a connection.

import type { StartOptions } from './api.ts';
import { functions } from './functions/functions.ts';
import { GpuObjects } from './gpu/gpu-objects.ts';
import { imageDecoders } from './loads/image-decoder.ts';
import { begin, latest } from './recording/active.ts';
import { download as save } from './recording/functions.ts';
import type { Graphics } from './recording/recording.ts';
import { quietly } from './sink/sink.ts';
import { webgl } from './webgl/webgl.ts';
import { webgpu } from './webgpu/webgpu.ts';

export * from './api.ts';
export * from './recording/functions.ts';

/** Saves the trace whose last functions a download waits for. */
let saveNow = () => {};

/** Starts recording. Does nothing if a recording is running. */
export function start(options?: StartOptions): void {
  saveNow();
  const before = latest();
  quietly(() => begin(options ?? {}, graphics));
  // A hook that could not be removed may still refer to it.
  if (before !== null && before !== latest()) before.sink.kept = null;
}

/**
 * Resolves when an export has all functions until now, for which the browser needs some milliseconds: `stop(); await settled();`.
 * Never rejects, and waits two seconds at most.
 */
export async function settled(): Promise<void> {
  try {
    await latest()?.sink.kept?.settle();
  } catch {
    // A page may have replaced what this needs.
  }
}

/** Downloads the trace, as soon as it has all functions until now. Does nothing without a document or a recording. */
export function download(fileName?: string): void {
  saveNow();
  const saveOnce = () => {
    if (saveNow !== saveOnce) return;
    saveNow = () => {};
    save(fileName);
  };
  saveNow = saveOnce;
  if (latest()?.sink.kept == null) saveOnce();
  else settled().then(saveOnce, saveOnce);
}

const graphics: Graphics = (assets, wanted) => {
  const objects = new GpuObjects(assets);
  return {
    objects,
    parts: [
      ['functions', functions(wanted.functions === true)],
      ['images', imageDecoders(assets), 'image decoders'],
      ['webgl', webgl(objects, wanted.gpuTimer !== false)],
      ['webgpu', webgpu(objects)],
    ],
  };
};
