// Plays an input script: sends its steps to the page at their times.
import { setTimeout as delay } from 'node:timers/promises';
import type { Page, TouchHandle } from 'puppeteer-core';
import type { InputScript } from './input-script.ts';
import { formatStep, type InputStep } from './input-step.ts';
import { isKeyCode } from './key-codes.ts';

export type PlayedInput = {
  readonly page: Page;
  readonly script: InputScript;
  /** Passes a step of a gamepad to the documents, as a line. */
  readonly moveGamepad: (step: string) => void;
  /** Called when a step has been sent. */
  readonly onStep: () => void;
  readonly signal: AbortSignal;
};

/** Two presses of a button within this time and distance are a double click. */
const DOUBLE_MS = 500;
const DOUBLE_PX = 4;

/**
 * Sends each step at its time after `from`, a time of `performance.now()`. Returns whether the script ends the recording, at the
 * time of that end or after the last step. Throws the reason of the signal.
 */
export async function playInput(
  { page, script, moveGamepad, onStep, signal }: PlayedInput,
  from: number,
): Promise<boolean> {
  const until = (ms: number): Promise<void> =>
    delay(Math.max(0, from + ms - performance.now()), undefined, { signal, ref: false });
  const player = new Player(page, moveGamepad);
  for (const { at_ms, step } of script.steps) {
    if (script.end_ms !== null && at_ms > script.end_ms) break;
    await until(at_ms);
    // It is not awaited: a page that stalls must not delay the next step. The browser keeps the order.
    player.send(at_ms, step).catch(() => {
      // The page is gone. The recording ends for that reason.
    });
    onStep();
  }
  if (script.end_ms === null) return false;
  await until(script.end_ms);
  return true;
}

class Player {
  readonly #page: Page;
  readonly #moveGamepad: (step: string) => void;
  readonly #touches = new Map<number, TouchHandle>();
  /** The end of the touches that were sent. A finger that moves must have touched the screen. */
  #touching: Promise<void> = Promise.resolve();
  #at = { x: 0, y: 0 };
  #pressed = { button: '', at_ms: Number.NEGATIVE_INFINITY, x: 0, y: 0, count: 0 };

  constructor(page: Page, moveGamepad: (step: string) => void) {
    this.#page = page;
    this.#moveGamepad = moveGamepad;
  }

  async send(at_ms: number, step: InputStep): Promise<void> {
    switch (step.device) {
      case 'key':
        if (isKeyCode(step.code)) await this.#page.keyboard[step.action](step.code);
        break;
      case 'mouse':
        await this.#sendMouse(at_ms, step);
        break;
      case 'wheel':
        await Promise.all([
          this.#moveTo(step.x, step.y),
          this.#page.mouse.wheel({ deltaX: step.dx, deltaY: step.dy }),
        ]);
        break;
      case 'touch':
        this.#touching = this.#touching.then(() => this.#sendTouch(step));
        await this.#touching;
        break;
      case 'gamepad':
        this.#moveGamepad(formatStep(step));
    }
  }

  async #sendMouse(at_ms: number, step: InputStep & { device: 'mouse' }): Promise<void> {
    const moved = this.#moveTo(step.x, step.y);
    if (step.action === 'move') return await moved;
    const { x, y, button } = step;
    if (step.action === 'down') {
      const last = this.#pressed;
      const isSame =
        button === last.button &&
        at_ms - last.at_ms <= DOUBLE_MS &&
        Math.hypot(x - last.x, y - last.y) <= DOUBLE_PX;
      this.#pressed = { button, at_ms, x, y, count: isSame ? last.count + 1 : 1 };
    }
    // Without the count, the page would get no double click.
    const press = { button, clickCount: Math.max(1, this.#pressed.count) };
    await Promise.all([moved, this.#page.mouse[step.action](press)]);
  }

  async #moveTo(x: number, y: number): Promise<void> {
    if (x === this.#at.x && y === this.#at.y) return;
    this.#at = { x, y };
    await this.#page.mouse.move(x, y);
  }

  async #sendTouch({ action, id, x, y }: InputStep & { device: 'touch' }): Promise<void> {
    const touch = this.#touches.get(id);
    if (action === 'down') this.#touches.set(id, await this.#page.touchscreen.touchStart(x, y));
    else if (action === 'move') await touch?.move(x, y);
    else {
      this.#touches.delete(id);
      await touch?.end();
    }
  }
}
