// Runs in the browser: the scene with an empty frame callback, measured like the tools. Its time comes from the resolution of
// the clock, cold caches and other load. It is the error of the measurement.
import { type Measured, makeContext, makeDrawing, measure, timeCallbacks } from './scene.ts';

export function run(frames: number): Promise<Measured> {
  const ask = timeCallbacks();
  const tick = (): void => {
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  const draw = makeDrawing(makeContext(), 'drawElements');
  return measure(ask, frames, { withTool: draw, withoutTool: draw, always: true });
}
