// Counts the seconds in which a program did nothing: it used no CPU and read nothing from storage.
// A program that is minimized or paused may present no frames then, which is no hitch.
import { readFileSync } from 'node:fs';
import type { LinuxProcess } from '../../target/pin-process.ts';

/** Programs that wait still wake up from time to time. In percent of one core. */
const IDLE_PERCENT = 5;

type Work = { readonly cpuMs: number; readonly readBytes: number };

export class IdleWatch {
  readonly #process: LinuxProcess;
  #before: { readonly t: number; readonly work: Work } | null = null;
  /** The idle seconds until now without one in which the program worked. */
  #streak = 0;
  #longest = 0;

  constructor(process: LinuxProcess) {
    this.#process = process;
  }

  /** The most idle seconds in a row since the last frame. */
  get seconds(): number {
    return this.#longest;
  }

  /** A frame was presented. */
  reset(): void {
    this.#streak = 0;
    this.#longest = 0;
    this.#before = null;
  }

  /** Called at the end of each second at a trace time, in ms. */
  tick(t: number): void {
    const work = workOf(this.#process);
    const idles = work !== null && this.#before !== null && isIdle(this.#before, t, work);
    this.#streak = idles ? this.#streak + 1 : 0;
    this.#longest = Math.max(this.#longest, this.#streak);
    this.#before = work === null ? null : { t, work };
  }
}

function isIdle(
  before: { readonly t: number; readonly work: Work },
  t: number,
  now: Work,
): boolean {
  const percent = ((now.cpuMs - before.work.cpuMs) / Math.max(1, t - before.t)) * 100;
  return percent < IDLE_PERCENT && now.readBytes === before.work.readBytes;
}

function workOf(process: LinuxProcess): Work | null {
  try {
    const reading = process.read();
    return reading === null
      ? null
      : { cpuMs: reading.cpuMs, readBytes: readBytesOf(process.folder) };
  } catch {
    return null; // only this second is unknown
  }
}

/** The bytes that the process caused to be read from storage. 0 if the kernel does not report them. */
function readBytesOf(folder: string): number {
  try {
    const text = readFileSync(`${folder}/io`, 'latin1');
    return Number(/^read_bytes: (\d+)$/m.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
