// What the rest of the machine does while a process is recorded: the CPU time of other programs, the clock, and heat.
import { readdirSync } from 'node:fs';
import { readNumber, readText } from './read-text.ts';

/** The most cores that are read. Each clock costs up to 50 µs. */
const MOST_CORES = 16;

export type LoadReading = {
  /** CPU time that programs of the machine have used, in ms since its start. */
  readonly busyMs: number;
  /** The highest clock of a core now. Null if the kernel does not report clocks. */
  readonly mhz: number | null;
  /** How often cores were throttled because of heat since the start. Null if it is not reported. */
  readonly throttled: number | null;
};

export class MachineLoad {
  readonly #statPath: string;
  readonly #tickMs: number;
  readonly #clocks: readonly string[];
  readonly #throttles: readonly string[];

  /** `proc` and `devices` are the folders of Linux; tests use others. */
  constructor(ticksPerSecond: number, proc = '/proc', devices = '/sys') {
    const cores = coresOf(`${devices}/devices/system/cpu`);
    this.#tickMs = 1000 / ticksPerSecond;
    this.#statPath = `${proc}/stat`;
    this.#clocks = readable(cores, 'cpufreq/scaling_cur_freq');
    this.#throttles = readable(cores, 'thermal_throttle/core_throttle_count');
  }

  /** Null if the kernel does not report the load. */
  read(): LoadReading | null {
    const busyTicks = parseBusyTicks(readText(this.#statPath) ?? '');
    if (busyTicks === null) return null;
    const clocks = this.#clocks.map(readNumber).filter((one) => one !== null);
    const counts = this.#throttles.map(readNumber).filter((one) => one !== null);
    return {
      busyMs: busyTicks * this.#tickMs,
      mhz: clocks.length === 0 ? null : Math.round(Math.max(...clocks) / 1000),
      throttled: counts.length === 0 ? null : counts.reduce((sum, one) => sum + one, 0),
    };
  }
}

/**
 * The ticks in which cores worked, and those that a hypervisor gave to others: user, nice, system, irq, softirq and steal of
 * the first line of /proc/stat. https://man7.org/linux/man-pages/man5/proc_stat.5.html
 */
export function parseBusyTicks(text: string): number | null {
  const line = /^cpu +(\d+) (\d+) (\d+) \d+ \d+ (\d+) (\d+) (\d+)/m.exec(text);
  if (line === null) return null;
  return line.slice(1).reduce((sum, digits) => sum + Number(digits), 0);
}

/** The paths of a file of each core, as far as it exists. */
function readable(cores: readonly string[], file: string): string[] {
  return cores
    .slice(0, MOST_CORES)
    .map((core) => `${core}/${file}`)
    .filter((path) => readNumber(path) !== null);
}

function coresOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^cpu\d+$/.test(name))
      .sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)))
      .map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}
