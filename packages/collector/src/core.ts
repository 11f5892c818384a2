// `@svc/collector/core`: the collector for a game that draws without WebGL and WebGPU, without the code that follows them.

import type { StartOptions } from './api.ts';
import { begin } from './recording/active.ts';
import { quietly } from './sink/sink.ts';

export * from './api.ts';
export * from './recording/functions.ts';

/** Starts recording. While one runs already, that one goes on and the options are not looked at. */
export function start(options: StartOptions = {}): void {
  quietly(() => begin(options ?? {}, () => null));
}
