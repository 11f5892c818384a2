// The player of a recording: plays an input script, and writes what the player does as one.
import type { Page } from 'puppeteer-core';
import { InputLog } from './input/input-log.ts';
import type { InputScript, Size } from './input/input-script.ts';
import type { InputStep } from './input/input-step.ts';
import { playInput } from './input/play-input.ts';

export type InputOptions = {
  /** The script to play. */
  readonly input?: InputScript | undefined;
  /** The path of the script to write. */
  readonly recordInput?: string | undefined;
};

/** What the player did. */
export type InputCounts = {
  /** The number of steps of the script that were played. Null without a script. */
  readonly played: number | null;
  /** The number of steps that were written. Null if none was to be written. */
  readonly recorded: number | null;
};

type Session = {
  readonly page: Page;
  readonly moveGamepad: (step: string) => void;
  /** Called when the script ends the recording. */
  readonly onEnd: () => void;
};

/** How long the first frame is awaited. A page without one is played, too. */
const FIRST_FRAME_MS = 15_000;

export class InputSession implements Disposable {
  readonly #options: InputOptions;
  readonly #onFault: (error: unknown) => void;
  readonly #ending = new AbortController();
  readonly #log: InputLog | null;
  #session: Session | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isPlaying = false;
  #played = 0;
  /** Unix time of the end of the recording. */
  #endedAt: number | null = null;

  /** `size` is that of the page. `onFault` receives the error if the script cannot be written. Throws Node's error if its file cannot be created. */
  constructor(options: InputOptions, size: Size, onFault: (error: unknown) => void) {
    this.#options = options;
    this.#onFault = onFault;
    this.#log = options.recordInput === undefined ? null : new InputLog(options.recordInput, size);
    this.#log?.open();
  }

  /** Whether the first frame of the game and the steps of the player must be reported. */
  get wanted(): {
    readonly firstDraw: boolean;
    readonly input: boolean;
    readonly gamepads: boolean;
  } {
    const { input } = this.#options;
    const gamepads = input?.steps.some(({ step }) => step.device === 'gamepad') === true;
    return {
      firstDraw: input !== undefined || this.#log !== null,
      input: this.#log !== null,
      gamepads,
    };
  }

  get counts(): InputCounts {
    return {
      played: this.#options.input === undefined ? null : this.#played,
      recorded: this.#log?.steps ?? null,
    };
  }

  /** Call it before the page is loaded. */
  begin(session: Session): void {
    this.#session = session;
    if (!this.wanted.firstDraw) return;
    this.#timer = setTimeout(() => this.firstDraw(0), FIRST_FRAME_MS);
  }

  /** The game drew its first frame. Times in scripts count from then. */
  firstDraw(ago_ms: number): void {
    clearTimeout(this.#timer);
    this.#log?.firstDraw(Date.now() - ago_ms);
    const { input: script } = this.#options;
    if (script === undefined || this.#session === null || this.#isPlaying) return;
    this.#isPlaying = true;
    const { page, moveGamepad, onEnd } = this.#session;
    const onStep = (): void => {
      this.#played++;
    };
    const { signal } = this.#ending;
    playInput({ page, script, moveGamepad, onStep, signal }, performance.now() - ago_ms).then(
      (ends) => ends && onEnd(),
      (error: unknown) => signal.aborted || this.#onFault(error),
    );
  }

  /** Writes a step of the player. `at` is Unix time. */
  put(at: number, step: InputStep): void {
    try {
      this.#log?.put(at, step);
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** The recording ends: nothing more is sent to the page. */
  end(): void {
    this.#endedAt ??= Date.now();
    clearTimeout(this.#timer);
    this.#ending.abort();
  }

  /** Gives the written script its name. Throws Node's error. */
  commit(): void {
    this.#log?.commit(this.#endedAt ?? Date.now());
  }

  /** Gives the written script its name, without an end. */
  keep(): void {
    this.#log?.keep();
  }

  [Symbol.dispose](): void {
    this.end();
    this.#log?.[Symbol.dispose]();
  }
}
