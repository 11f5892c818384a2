// `@svc/collector/core`: the collector without WebGL and WebGPU.

import type { StartOptions } from './api.ts';
import { begin } from './recording/active.ts';
import { quietly } from './sink/sink.ts';

export * from './api.ts';
export * from './recording/functions.ts';

/** Starts recording. Does nothing if a recording is running. */
export function start(options?: StartOptions): void {
  quietly(() => begin(options ?? {}, () => null));
}
