// The parts of WebGL 1 and 2 that are recorded: uploads, shaders, draws, and draws of extensions.

import type { GpuObjects } from '../gpu/gpu-objects.ts';
import { field } from '../hooks/field.ts';
import { apply, replaceMethod, undoAll } from '../hooks/patch.ts';
import { now } from '../sink/clock.ts';
import { type Part, quietly, type Sink } from '../sink/sink.ts';
import { followBuffers } from './buffers.ts';
import { contextPrototypes } from './contexts.ts';
import { countDraws } from './draws.ts';
import { GpuTimer } from './gpu-timer.ts';
import { followShaders } from './shaders.ts';
import { followTextures } from './textures.ts';

/** Records all contexts of the page, created before or after the start. */
export function webgl(objects: GpuObjects, timeGpu: boolean): Part {
  return (sink) => {
    const owners = contextPrototypes();
    if (owners.length === 0) return 'the browser has no WebGL';
    const timer = timeGpu ? new GpuTimer(sink) : null;
    const first = (gl: unknown) => timer?.firstDraw(gl);
    const ofExtensions: ((() => void) | null)[] = [];
    const draws = owners.flatMap((owner) => countDraws(sink, owner, first));
    const undos = [
      ...followTextures(sink, objects, owners),
      ...followBuffers(sink, objects, owners),
      ...followShaders(sink, objects, owners),
      ...draws,
      ...owners.map((owner) => followExtensions(sink, owner, timer, ofExtensions)),
      ...owners.map((owner) => watchQueries(owner, 'beginQuery', timer)),
    ];
    if (undos.every((undo) => undo === null)) return 'its methods cannot be replaced';
    const listeners = watchLosses(sink, objects, timer);
    if (draws.some((undo) => undo !== null)) sink.columns.draws = true;
    return () => {
      timer?.stop();
      undoAll(listeners);
      undoAll(ofExtensions);
      undoAll(undos);
    };
  };
}

/** Listens for lost contexts. A lost context has no memory; the game creates everything again when it is restored. */
function watchLosses(sink: Sink, objects: GpuObjects, timer: GpuTimer | null): (() => void)[] {
  const undos: (() => void)[] = [];
  objects.onContext = (context) => {
    const canvas = field(context, 'canvas');
    if (!(canvas instanceof EventTarget)) return;
    const onLost = () =>
      quietly(() => {
        objects.loseContext(context, now(), false);
        timer?.forget(context);
        sink.write({ type: 'log', t: sink.now(), level: 'warn', text: 'WebGL context lost' });
      });
    canvas.addEventListener('webglcontextlost', onLost);
    undos.push(() => canvas.removeEventListener('webglcontextlost', onLost));
  };
  return undos;
}

/** Hooks extensions with draw calls when the game requests them. */
function followExtensions(
  sink: Sink,
  owner: object,
  timer: GpuTimer | null,
  ofExtensions: ((() => void) | null)[],
): (() => void) | null {
  const seen = new Set<object>();
  return replaceMethod(owner, 'getExtension', (original) => {
    return function (this: unknown, ...args: never[]) {
      const extension = apply(original, this, args);
      if (!sink.on || typeof extension !== 'object' || extension === null) return extension;
      quietly(() => {
        const prototype: unknown = Object.getPrototypeOf(extension);
        if (typeof prototype !== 'object' || prototype === null || seen.has(prototype)) return;
        seen.add(prototype);
        ofExtensions.push(...countDraws(sink, prototype, () => {}));
        ofExtensions.push(watchQueries(prototype, 'beginQueryEXT', timer));
      });
      return extension;
    };
  });
}

/** Notifies the timer of queries of the game. They begin on the context in WebGL 2 and on the extension in WebGL 1. */
function watchQueries(owner: object, name: string, timer: GpuTimer | null): (() => void) | null {
  if (timer === null) return null;
  return replaceMethod(owner, name, (original) => {
    return function (this: unknown, ...args: never[]) {
      timer.aboutToBegin(args[0]);
      return apply(original, this, args);
    };
  });
}
