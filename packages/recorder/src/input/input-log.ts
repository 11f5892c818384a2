// Writes what the player does during a recording as an input script, while it happens.
import { PartialFile } from '../files/partial-file.ts';
import type { Size } from './input-script.ts';
import { formatStep, type InputStep } from './input-step.ts';

export class InputLog implements Disposable {
  readonly #file: PartialFile;
  readonly #size: Size;
  #steps = 0;
  /** Unix time of the first frame. */
  #drawnAt: number | null = null;
  #latest_ms = 0;

  /** `size` is that of the page. */
  constructor(path: string, size: Size) {
    this.#file = new PartialFile(path);
    this.#size = size;
  }

  /** The number of steps that were written. */
  get steps(): number {
    return this.#steps;
  }

  /** Creates the file. Throws Node's error if that is impossible. */
  open(): void {
    const { width, height } = this.#size;
    this.#file.open();
    this.#file.write(`# Recorded by svc record. Times are seconds since the first frame of the game.
size ${width}x${height}
`);
  }

  /** The game drew its first frame at this Unix time. Only the first call counts. */
  firstDraw(at: number): void {
    this.#drawnAt ??= at;
  }

  /** Writes a step of this Unix time. Those before the first frame have the time 0. Throws Node's error, for example if the disk is full. */
  put(at: number, step: InputStep): void {
    this.#steps++;
    this.#file.write(`${this.#secondsAt(at)} ${formatStep(step)}\n`);
  }

  /** Writes the end of the recording, and gives the file its name. */
  commit(at: number): void {
    this.#file.write(`${this.#secondsAt(at)} end\n`);
    this.#file.commit();
  }

  /** Gives the file its name, without an end. */
  keep(): void {
    this.#file.commit();
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  /** Documents report with a delay, so a step can be older than the one before it. Times in the file never decrease. */
  #secondsAt(at: number): string {
    const ms = this.#drawnAt === null ? 0 : at - this.#drawnAt;
    this.#latest_ms = Math.max(this.#latest_ms, ms);
    return (this.#latest_ms / 1000).toFixed(3);
  }
}
