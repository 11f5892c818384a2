// Runs in the browser: the scene under stats-gl as its README shows it, GPU timing included. Every second frame without.
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
