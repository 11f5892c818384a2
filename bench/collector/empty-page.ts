// Runs in the browser: the scene beside a frame callback that does nothing, timed like the tools. What it seems to take is
// the clock's steps, cold caches and what the machine did meanwhile: the floor under every tool's figures.
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
