// `@svc/collector/core`: the collector for a game that draws without WebGL and WebGPU, without the code that follows them.
import { begin } from './active.ts';
import type { StartOptions } from './api.ts';
import { quietly } from './sink.ts';

export * from './api.ts';
export * from './functions.ts';

/** Starts recording. While one runs already, that one goes on and the options are not looked at. */
export function start(options: StartOptions = {}): void {
  quietly(() => begin(options ?? {}, () => null));
}
