// Runs in each document and worker before its scripts. It starts the collector and passes the lines of the trace to the recorder
// through a binding, a function that the DevTools protocol adds to the page. scripts/build.ts bundles it.
import { type Spool, start, stop } from '@svc/collector';
import { watchFirstDraw } from './first-draw.ts';
import { followGamepads } from './gamepads.ts';
import type { Hello, Names, Surface } from './messages.ts';
import { watchInput, watchOrigin } from './watch-input.ts';

/** The collector keeps no more than this: the lines are already passed on. */
const KEPT_BYTES = 65_536;

/** The empty document that a page has before its first load, and the browser's own page for an address that does not load. */
const NO_GAME = /^(about:blank$|chrome-error:)/;

/** Starts recording. Does nothing without the binding, and in a document without a game. */
export function begin(names: Names): void {
  const { binding, ending, mark, firstDraw } = names;
  const found: unknown = Reflect.get(globalThis, binding);
  Reflect.deleteProperty(globalThis, binding);
  if (typeof found !== 'function' || NO_GAME.test(globalThis.location?.href)) return;
  const send = (kind: string, text: string): void => {
    found(kind + text);
  };
  const surface = globalThis.document === undefined ? followWorker() : followDocument();
  send('H', JSON.stringify(hello(mark)));
  const decoder = new TextDecoder();
  let isDropped = false;
  const spool: Spool = {
    append(lines) {
      // The line after a drop reports it. Nothing is lost here, because every line was passed on before.
      if (!isDropped) send('L', `${JSON.stringify(surface())}\n${decoder.decode(lines)}`);
      isDropped = false;
    },
    dropOldest() {
      isDropped = true;
    },
  };
  // The browser's tracing samples the functions, of every thread and more often.
  const parts = { functions: false };
  const record = (): void => start({ budgetBytes: KEPT_BYTES, spool, parts });
  record();
  if (firstDraw) watchFirstDraw((ago) => send('D', String(ago)));
  if (globalThis.document !== undefined) followPlayer(names, send);
  globalThis.addEventListener(ending, stop);
  globalThis.addEventListener('pagehide', stop);
  globalThis.addEventListener('pageshow', (event) => {
    if (Reflect.get(event, 'persisted') === true) record();
  });
}

/** Reports what the player does, and shows the gamepads of a script. */
function followPlayer({ input, gamepad }: Names, send: (kind: string, text: string) => void): void {
  if (input) {
    if (globalThis.window === globalThis.parent) watchOrigin((x, y) => send('O', `${x} ${y}`));
    watchInput((at, step, isOnScreen) =>
      send('I', `${at} ${isOnScreen ? 'screen' : 'page'} ${step}`),
    );
  }
  if (!input && gamepad === null) return;
  followGamepads(input ? (step) => send('I', `${performance.now()} page ${step}`) : null, gamepad);
}

/** Sets a mark, by which the recorder compares the clock of the page with that of the functions, and removes it. */
function hello(mark: string): Hello {
  const name = mark + Math.random().toString(36).slice(2);
  const began = performance.now();
  const { startTime } = performance.mark(name);
  performance.clearMarks(name);
  return {
    mark: name.slice(mark.length),
    began,
    marked: startTime,
    origin: performance.timeOrigin,
  };
}

/** The largest canvas of a document, in CSS pixels, and the largest one that it has transferred to a worker. */
function followDocument(): () => Surface {
  const transferred = new WeakSet<HTMLCanvasElement>();
  const owner = globalThis.HTMLCanvasElement?.prototype;
  const original = owner?.transferControlToOffscreen;
  if (original !== undefined) {
    owner.transferControlToOffscreen = function transferControlToOffscreen() {
      const canvas = original.call(this);
      transferred.add(this);
      return canvas;
    };
  }
  return () => {
    const largest = { own: 0, transferred: 0, worker: false };
    for (const canvas of document.querySelectorAll('canvas')) {
      const key = transferred.has(canvas) ? 'transferred' : 'own';
      largest[key] = Math.max(largest[key], canvas.clientWidth * canvas.clientHeight);
    }
    return largest;
  };
}

/** Whether a worker draws on a canvas. */
function followWorker(): () => Surface {
  let draws = false;
  const owner = globalThis.OffscreenCanvas?.prototype;
  const original = owner?.getContext;
  if (original !== undefined) {
    const followed = function getContext(this: OffscreenCanvas, ...args: unknown[]): unknown {
      draws = true;
      return Reflect.apply(original, this, args);
    };
    Reflect.set(owner, 'getContext', followed);
  }
  return () => ({ own: 0, transferred: 0, worker: draws });
}
