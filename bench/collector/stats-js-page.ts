// Runs in the browser: the scene with stats.js as in its README. Every second frame runs without it.
import Stats from 'stats.js';
import {
  type Measured,
  makeContext,
  makeDrawing,
  measure,
  timeCallbacks,
  timeOwn,
} from './scene.ts';

export async function run(frames: number): Promise<Measured> {
  const ask = timeCallbacks();
  const gl = makeContext();
  const stats = new Stats();
  // The name in version 1.0.0 on npm. Its types contain only the later name.
  const element: unknown = Reflect.get(stats, 'domElement');
  if (element instanceof Node) document.body.appendChild(element);
  const draw = makeDrawing(gl, 'drawElements');
  return measure(ask, frames, {
    withTool: () => {
      timeOwn(() => stats.begin());
      draw();
      timeOwn(() => stats.end());
    },
    withoutTool: draw,
    always: false,
  });
}
