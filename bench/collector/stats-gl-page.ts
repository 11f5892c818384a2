// Runs in the browser: the scene with stats-gl as in its README, with GPU timing. Every second frame runs without it.
import Stats from 'stats-gl';
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
  const stats = new Stats({ trackGPU: true });
  await stats.init(gl.canvas);
  document.body.appendChild(stats.dom);
  const draw = makeDrawing(gl, 'drawElements');
  return measure(ask, frames, {
    withTool: () => {
      timeOwn(() => stats.begin());
      draw();
      timeOwn(() => {
        stats.end();
        stats.update();
      });
    },
    withoutTool: draw,
    always: false,
  });
}
