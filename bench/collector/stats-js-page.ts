// Runs in the browser: the scene under stats.js as its README shows it. Every second frame without.
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
  // Version 1.0.0 on npm calls it so; its types know only the later name.
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
