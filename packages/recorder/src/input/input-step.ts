// One step of an input script: what a player does with a key, the mouse, a finger or a gamepad. A step is a line of text, in scripts
// and in what the code in a page passes on. Coordinates are CSS pixels from the upper left corner of the page.

type MouseButton = 'left' | 'middle' | 'right';

export type InputStep =
  | { readonly device: 'key'; readonly action: 'down' | 'up'; readonly code: string }
  | { readonly device: 'mouse'; readonly action: 'move'; readonly x: number; readonly y: number }
  | {
      readonly device: 'mouse';
      readonly action: 'down' | 'up';
      readonly x: number;
      readonly y: number;
      readonly button: MouseButton;
    }
  /** `dx` and `dy` are CSS pixels to scroll. */
  | {
      readonly device: 'wheel';
      readonly x: number;
      readonly y: number;
      readonly dx: number;
      readonly dy: number;
    }
  /** `id` tells fingers apart. */
  | {
      readonly device: 'touch';
      readonly action: 'down' | 'move' | 'up';
      readonly id: number;
      readonly x: number;
      readonly y: number;
    }
  /** The value of a button is 0 to 1, that of an axis −1 to 1. Numbers are those of the standard gamepad. */
  | {
      readonly device: 'gamepad';
      readonly pad: number;
      readonly control: 'button' | 'axis';
      readonly index: number;
      readonly value: number;
    };

/** A step is not valid. The message is one sentence. */
export class InputFault extends Error {
  override readonly name = 'InputFault';
}

/** A position may be outside of the page, because a locked pointer has no bounds. */
const FARTHEST_PX = 10_000_000;
const MOST_FINGERS = 10;
const MOST_PADS = 4;
const MOST_BUTTONS = 32;
const MOST_AXES = 16;

/** The step as a line of a script, without its time. */
export function formatStep(step: InputStep): string {
  switch (step.device) {
    case 'key':
      return `key ${step.action} ${step.code}`;
    case 'mouse': {
      const button = step.action === 'move' ? '' : ` ${step.button}`;
      return `mouse ${step.action} ${short(step.x)} ${short(step.y)}${button}`;
    }
    case 'wheel':
      return `wheel ${[step.x, step.y, step.dx, step.dy].map(short).join(' ')}`;
    case 'touch':
      return `touch ${step.action} ${step.id} ${short(step.x)} ${short(step.y)}`;
    case 'gamepad':
      return `gamepad ${step.pad} ${step.control} ${step.index} ${short(step.value)}`;
  }
}

/** Parses the words of a step. `isKey` states which key codes exist. Throws an InputFault. */
export function parseStep(
  words: readonly string[],
  isKey: (code: string) => boolean = () => true,
): InputStep {
  const [device = '', ...rest] = words;
  switch (device) {
    case 'key':
      return keyStep(rest, isKey);
    case 'mouse':
      return mouseStep(rest);
    case 'wheel': {
      const [x, y, dx, dy] = numbers(rest, 4, 'wheel X Y DX DY');
      return { device, x, y, dx, dy };
    }
    case 'touch':
      return touchStep(rest);
    case 'gamepad':
      return gamepadStep(rest);
    default:
      throw new InputFault(`"${cut(device)}" is not key, mouse, wheel, touch or gamepad.`);
  }
}

function keyStep(
  [action, code = '', ...more]: string[],
  isKey: (code: string) => boolean,
): InputStep {
  if ((action !== 'down' && action !== 'up') || code === '' || more.length > 0) {
    throw expected('key down KeyW');
  }
  if (!isKey(code)) {
    throw new InputFault(
      `"${cut(code)}" is not a key. Write a code such as KeyW, Space or ArrowLeft.`,
    );
  }
  return { device: 'key', action, code };
}

function mouseStep([action, ...rest]: string[]): InputStep {
  if (action === 'move') {
    const [x, y] = numbers(rest, 2, 'mouse move X Y');
    return { device: 'mouse', action, x, y };
  }
  if (action !== 'down' && action !== 'up') throw expected('mouse move, mouse down or mouse up');
  const [x, y] = numbers(rest.slice(0, 2), 2, `mouse ${action} X Y left`);
  const [button = 'left', ...more] = rest.slice(2);
  if ((button !== 'left' && button !== 'middle' && button !== 'right') || more.length > 0) {
    throw expected(`mouse ${action} X Y left, middle or right`);
  }
  return { device: 'mouse', action, x, y, button };
}

function touchStep([action, ...rest]: string[]): InputStep {
  if (action !== 'down' && action !== 'move' && action !== 'up') {
    throw expected('touch down, touch move or touch up');
  }
  const [id, x, y] = numbers(rest, 3, `touch ${action} ID X Y`);
  return { device: 'touch', action, id: index(id, MOST_FINGERS, 'a finger'), x, y };
}

function gamepadStep([pad, control, ...rest]: string[]): InputStep {
  if (control !== 'button' && control !== 'axis') throw expected('gamepad 0 button 0 1');
  const [number, value] = numbers(rest, 2, `gamepad 0 ${control} INDEX VALUE`);
  const least = control === 'axis' ? -1 : 0;
  if (value < least || value > 1) {
    throw new InputFault(`The value of a gamepad's ${control} is from ${least} to 1.`);
  }
  return {
    ...{ device: 'gamepad', control, value },
    pad: index(numberOf(pad ?? ''), MOST_PADS, 'a gamepad'),
    index: index(
      number,
      control === 'axis' ? MOST_AXES : MOST_BUTTONS,
      control === 'axis' ? 'an axis' : 'a button',
    ),
  };
}

/** Exactly `count` numbers. The type promises four, because a shorter array is never returned. */
function numbers(
  words: readonly string[],
  count: number,
  form: string,
): [number, number, number, number] {
  const [a = 0, b = 0, c = 0, d = 0] = words.map(numberOf);
  if (words.length !== count || [a, b, c, d].some((value) => !(Math.abs(value) <= FARTHEST_PX))) {
    throw expected(form);
  }
  return [a, b, c, d];
}

/** NaN for anything else than a decimal number. */
export function numberOf(word: string): number {
  return /^-?\d{1,12}(\.\d{1,12})?$/.test(word) ? Number(word) : Number.NaN;
}

function index(value: number, count: number, what: string): number {
  if (Number.isInteger(value) && value >= 0 && value < count) return value;
  throw new InputFault(`The number of ${what} is from 0 to ${count - 1}.`);
}

function expected(form: string): InputFault {
  return new InputFault(`Expected: ${form}.`);
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100 + 0);
}

function cut(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
