// Runs in the browser: the open overlay, with a recording or without, in a page where nothing else happens.
import * as svc from '@svc/collector';
import { addOverlay } from '@svc/collector/overlay';

/** Milliseconds of the main thread, in ms a second. */
export type OverlayMeasured = {
  /** Its updates, once a second. */
  readonly updates: number;
  /** Its callbacks in every frame: it has some only where no recording counts the frames. */
  readonly frames: number;
};

/** As many as a middling game has. */
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
  // As in any game, somebody else is the first to ask for a frame and pays for its scheduling.
  const askFirst = (): void => {
    ask(askFirst);
  };
  askFirst();
  Object.assign(globalThis, {
    setInterval: (work: () => void, ms: number) => every(timed(work, 'updates'), ms),
  });
  // Beside a recording the overlay has no callback in a frame: what asks there is the recording.
  if (!recording) {
    Object.assign(globalThis, {
      requestAnimationFrame: (callback: FrameRequestCallback) => ask(timed(callback, 'frames')),
    });
  }
  addOverlay({ open: true });
  // What opening it takes is not what it takes a second.
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
