// The gamepads of a document: reports what the player does with them, and shows the game one that a script moves.
import { formatStep, type InputStep, parseStep } from '../input/input-step.ts';

const BUTTONS = 17;
const AXES = 4;
/** Sticks are never quite still. Smaller changes are not reported. */
const STILL = 0.02;

type PadState = { readonly buttons: readonly number[]; readonly axes: readonly number[] };
type GetGamepads = (this: Navigator) => (Gamepad | null)[];

/**
 * Follows `navigator.getGamepads`, which is how a game reads its gamepads. `report` receives each change that the game can see.
 * `event` is the name of the event with the steps of a script as its detail; null without a script.
 */
export function followGamepads(
  report: ((step: string) => void) | null,
  event: string | null,
): void {
  const owner = globalThis.Navigator?.prototype;
  const original: GetGamepads | undefined = owner?.getGamepads;
  if (original === undefined) return;
  const played = event === null ? null : new PlayedPads();
  if (event !== null) {
    globalThis.addEventListener(event, (step) => played?.take(Reflect.get(step, 'detail')));
  }
  const watch = report && new PadWatch(report);
  owner.getGamepads = function getGamepads() {
    const pads = played?.pads ?? original.call(this);
    watch?.look(pads);
    return pads;
  };
}

/** Reports the changes of gamepads. */
class PadWatch {
  readonly #report: (step: string) => void;
  readonly #known = new Map<number, PadState>();

  constructor(report: (step: string) => void) {
    this.#report = report;
  }

  look(pads: readonly (Gamepad | null)[]): void {
    for (const pad of pads) {
      if (pad === null) continue;
      const before = this.#known.get(pad.index);
      const buttons = pad.buttons.map(({ value }) => value);
      this.#compare(pad.index, 'button', before?.buttons ?? [], buttons);
      // The values that were reported stay, so that a slow movement is reported, too.
      const axes = pad.axes.map((value, at) => changed(before?.axes[at] ?? 0, value));
      this.#compare(pad.index, 'axis', before?.axes ?? [], axes);
      this.#known.set(pad.index, { buttons, axes });
    }
  }

  #compare(
    pad: number,
    control: 'button' | 'axis',
    before: readonly number[],
    now: readonly number[],
  ): void {
    for (const [index, value] of now.entries()) {
      if (value === (before[index] ?? 0)) continue;
      this.#report(formatStep({ device: 'gamepad', pad, control, index, value }));
    }
  }
}

function changed(before: number, now: number): number {
  const isStill = Math.abs(now - before) < STILL && now !== 0;
  return isStill ? before : now;
}

/** Gamepads that the steps of a script move. A gamepad is connected by its first step. */
class PlayedPads {
  readonly #states = new Map<number, { buttons: number[]; axes: number[] }>();

  /** Four gamepads or null, as the browser returns them. */
  get pads(): (Gamepad | null)[] {
    return [0, 1, 2, 3].map((index) => {
      const state = this.#states.get(index);
      return state === undefined ? null : padOf(index, state);
    });
  }

  take(text: unknown): void {
    const step: InputStep = parseStep(String(text).split(' '));
    if (step.device !== 'gamepad') return;
    const state = this.#states.get(step.pad) ?? this.#connect(step.pad);
    state[step.control === 'axis' ? 'axes' : 'buttons'][step.index] = step.value;
  }

  #connect(index: number): { buttons: number[]; axes: number[] } {
    const state = {
      buttons: Array.from({ length: BUTTONS }, () => 0),
      axes: Array.from({ length: AXES }, () => 0),
    };
    this.#states.set(index, state);
    // A GamepadEvent accepts only gamepads of the browser.
    const event = new Event('gamepadconnected');
    Object.defineProperty(event, 'gamepad', { value: padOf(index, state) });
    queueMicrotask(() => globalThis.dispatchEvent(event));
    return state;
  }
}

function padOf(index: number, { buttons, axes }: PadState): Gamepad {
  return Object.create(Gamepad.prototype, {
    id: { value: 'svc gamepad (STANDARD GAMEPAD)' },
    index: { value: index },
    connected: { value: true },
    mapping: { value: 'standard' },
    timestamp: { value: performance.now() },
    axes: { value: Object.freeze([...axes]) },
    buttons: { value: Object.freeze(buttons.map(buttonOf)) },
    vibrationActuator: { value: null },
  });
}

function buttonOf(value: number): GamepadButton {
  return Object.create(GamepadButton.prototype, {
    pressed: { value: value > 0.5 },
    touched: { value: value > 0 },
    value: { value },
  });
}
