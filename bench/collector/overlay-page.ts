// Runs in the browser: the open overlay with or without a recording, in an otherwise idle page.
import * as svc from '@svc/collector';
import { addOverlay } from '@svc/collector/overlay';

/** Main-thread time in ms per second. */
export type OverlayMeasured = {
  /** The updates, once a second. */
  readonly updates: number;
  /** The callbacks in every frame, which exist only if no recording counts the frames. */
  readonly frames: number;
};

/** The number of a medium-sized game. */
const ASSETS = 300;
const WARM_UP_MS = 3_000;

export async function run(seconds: number, recording: boolean): Promise<OverlayMeasured> {
  if (recording) {
    svc.start();
    for (let made = 0; made < ASSETS; made++) {
      svc.asset(`asset ${made}`, {
        phase: 'decode',
        durationMs: made / 10,
        mainThreadMs: made / 20,
      });
    }
  }
  const measured = { updates: 0, frames: 0 };
  const timed =
    <Args extends unknown[]>(work: (...args: Args) => unknown, sum: keyof OverlayMeasured) =>
    (...args: Args): void => {
      const from = performance.now();
      work(...args);
      measured[sum] += performance.now() - from;
    };
  const { setInterval: every, requestAnimationFrame: ask } = globalThis;
  // As in a game, another caller requests a frame first and pays for its scheduling.
  const askFirst = (): void => {
    ask(askFirst);
  };
  askFirst();
  Object.assign(globalThis, {
    setInterval: (work: () => void, ms: number) => every(timed(work, 'updates'), ms),
  });
  // During a recording, the overlay has no frame callback. The callback is that of the recording.
  if (!recording) {
    Object.assign(globalThis, {
      requestAnimationFrame: (callback: FrameRequestCallback) => ask(timed(callback, 'frames')),
    });
  }
  addOverlay({ open: true });
  // The time to open the overlay is excluded.
  const warm = new Promise((done) => setTimeout(done, WARM_UP_MS));
  Object.assign(globalThis, { warm });
  await warm;
  measured.updates = 0;
  measured.frames = 0;
  const began = performance.now();
  await new Promise((done) => setTimeout(done, seconds * 1000));
  const passed = (performance.now() - began) / 1000;
  return { updates: measured.updates / passed, frames: measured.frames / passed };
}
