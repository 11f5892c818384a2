// Runs in the browser: the scene with the collector. Every second frame draws with the original method under another name.
import * as svc from '@svc/collector';
import {
  type Measured,
  makeContext,
  makeDrawing,
  measure,
  timeCallbacks,
  timeQueries,
} from './scene.ts';

export function run(frames: number): Promise<Measured> {
  const ask = timeCallbacks();
  const { prototype } = WebGL2RenderingContext;
  Object.defineProperty(prototype, 'plainDrawElements', { value: prototype.drawElements });
  svc.start();
  const gl = makeContext();
  timeQueries(gl);
  return measure(ask, frames, {
    withTool: makeDrawing(gl, 'drawElements'),
    withoutTool: makeDrawing(gl, 'plainDrawElements'),
    always: true,
  });
}
