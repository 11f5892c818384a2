// Reports what the player does in a document, as steps of an input script with the time of the page's clock.
import { formatStep, type InputStep } from '../input/input-step.ts';

/** Reports a step. `isOnScreen` is true if its coordinates are those of the screen, because the page's are unknown here. */
export type ReportStep = (at: number, step: string, isOnScreen: boolean) => void;

const BUTTONS = ['left', 'middle', 'right'] as const;
/** Wheels that scroll by lines or pages. */
const LINE_PX = 40;
const PAGE_PX = 800;

type Position = { readonly x: number; readonly y: number; readonly isOnScreen: boolean };

/** Reports keys, the mouse, its wheel and fingers. */
export function watchInput(report: ReportStep): void {
  const mouse = new MouseWatch(report);
  const touches = new TouchWatch(report);
  for (const action of ['down', 'up'] as const) {
    listen(`key${action}`, ({ code, repeat, timeStamp }) => {
      if (code === '' || repeat) return;
      report(timeStamp, formatStep({ device: 'key', action, code }), false);
    });
  }
  listen('mousemove', (event) => mouse.moved(event));
  listen('mousedown', (event) => mouse.pressed(event, 'down'));
  listen('mouseup', (event) => mouse.pressed(event, 'up'));
  listen('wheel', (event) => mouse.turned(event));
  listen('touchstart', (event) => touches.changed(event, 'down'));
  listen('touchmove', (event) => touches.changed(event, 'move'));
  listen('touchend', (event) => touches.changed(event, 'up'));
  listen('touchcancel', (event) => touches.changed(event, 'up'));
}

/** Listens before the scripts of the document do, so they cannot hide an event. */
function listen<Type extends keyof WindowEventMap>(
  type: Type,
  listener: (event: WindowEventMap[Type]) => void,
): void {
  globalThis.addEventListener(
    type,
    (event: WindowEventMap[Type]) => {
      // A script can make events, too. They follow from its own code.
      if (!event.isTrusted) return;
      try {
        listener(event);
      } catch {
        // The page has replaced functions of the browser.
      }
    },
    { capture: true, passive: true },
  );
}

class MouseWatch {
  readonly #report: ReportStep;
  #last: Position = { x: 0, y: 0, isOnScreen: false };

  constructor(report: ReportStep) {
    this.#report = report;
  }

  moved(event: MouseEvent): void {
    // Touches cause mouse events of their own, which do not move.
    if (isOfTouch(event)) return;
    const { x, y } = this.#follow(event);
    this.#send(event, { device: 'mouse', action: 'move', x, y });
  }

  pressed(event: MouseEvent, action: 'down' | 'up'): void {
    const button = BUTTONS[event.button];
    if (button === undefined || isOfTouch(event)) return;
    const { x, y } = this.#follow(event);
    this.#send(event, { device: 'mouse', action, x, y, button });
  }

  turned(event: WheelEvent): void {
    const { x, y } = this.#follow(event);
    const scale = [1, LINE_PX, PAGE_PX][event.deltaMode] ?? 1;
    const [dx, dy] = [event.deltaX * scale, event.deltaY * scale];
    this.#send(event, { device: 'wheel', x, y, dx, dy });
  }

  /** A locked pointer stays where it is. Its movements are added up instead. */
  #follow(event: MouseEvent): Position {
    const { movementX, movementY } = event;
    const { x, y, isOnScreen } = this.#last;
    this.#last =
      document.pointerLockElement === null
        ? positionOf(event)
        : { x: x + movementX, y: y + movementY, isOnScreen };
    return this.#last;
  }

  #send({ timeStamp }: Event, step: InputStep): void {
    this.#report(timeStamp, formatStep(step), this.#last.isOnScreen);
  }
}

/** Fingers. Each has the lowest number that is free when it touches the screen. */
class TouchWatch {
  readonly #report: ReportStep;
  readonly #ids: (number | undefined)[] = [];

  constructor(report: ReportStep) {
    this.#report = report;
  }

  changed({ changedTouches, timeStamp }: TouchEvent, action: 'down' | 'move' | 'up'): void {
    for (const touch of changedTouches) {
      const known = this.#ids.indexOf(touch.identifier);
      const id = action === 'down' && known < 0 ? this.#add(touch.identifier) : known;
      if (id < 0) continue;
      if (action === 'up') this.#ids[id] = undefined;
      const { x, y, isOnScreen } = positionOf(touch);
      const step = formatStep({ device: 'touch', action, id, x, y });
      this.#report(timeStamp, step, isOnScreen);
    }
  }

  #add(identifier: number): number {
    const free = this.#ids.indexOf(undefined);
    const id = free < 0 ? this.#ids.length : free;
    this.#ids[id] = identifier;
    return id;
  }
}

function isOfTouch(event: MouseEvent): boolean {
  const { sourceCapabilities } = event as { sourceCapabilities?: { firesTouchEvents: boolean } };
  return sourceCapabilities?.firesTouchEvents === true;
}

/** The position in the page. In a frame of another origin, that on the screen. */
function positionOf({ clientX, clientY, screenX, screenY }: MouseEvent | Touch): Position {
  let [x, y] = [clientX, clientY];
  let view: Window = globalThis.window;
  while (view !== view.parent) {
    const frame = view.frameElement;
    if (frame === null) return { x: screenX, y: screenY, isOnScreen: true };
    const { left, top } = frame.getBoundingClientRect();
    x += left + frame.clientLeft;
    y += top + frame.clientTop;
    view = view.parent;
  }
  return { x, y, isOnScreen: false };
}

/** Reports where the page begins on the screen, and each change. Only a frame of another origin needs it. */
export function watchOrigin(report: (x: number, y: number) => void): void {
  let known = '';
  const note = (x: number, y: number): void => {
    if (known === `${x} ${y}`) return;
    known = `${x} ${y}`;
    report(x, y);
  };
  // Until the mouse shows it: the bars of a window are above its page, and its borders are equal.
  const assume = (): void => {
    const { screenX, screenY, outerWidth, outerHeight, innerWidth, innerHeight } = globalThis;
    const border = Math.max(0, (outerWidth - innerWidth) / 2);
    note(screenX + border, screenY + Math.max(0, outerHeight - innerHeight - border));
  };
  globalThis.addEventListener('DOMContentLoaded', assume);
  globalThis.addEventListener('resize', assume);
  // A page learns of a mouse that moves into a frame.
  for (const type of ['mouseover', 'mousemove'] as const) {
    listen(type, ({ screenX, screenY, clientX, clientY }) => {
      note(screenX - clientX, screenY - clientY);
    });
  }
}
