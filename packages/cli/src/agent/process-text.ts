// Sentences about a process that is profiled.
import type { ProgramExit } from '@svc/agent';
import type { BusyChild } from '@svc/contracts/agent';
import { safeLine } from '../output/text.ts';

/** For example `my-game has exited with code 3`. */
export function exitText({ name, code, signal }: ProgramExit & { readonly name: string }): string {
  return signal === null
    ? `${safeLine(name)} has exited with code ${code}`
    : `${safeLine(name)} was ended by ${signal}`;
}

/** States that svc ends what a program has left behind, and how to profile it. */
export function leftBehindText(
  name: string,
  left: readonly { readonly name: string; readonly pid: number }[],
): string {
  const shown = left.slice(0, 3).map((one) => `${safeLine(one.name)} (PID ${one.pid})`);
  const more = left.length > shown.length ? ', …' : '';
  const child = safeLine(left[0]?.name ?? 'NAME');
  return `${safeLine(name)} has exited, but what it has started still runs: ${shown.join(', ')}${more}. svc ends it now. To profile it, start svc again with --child ${child}.`;
}

/** States that the process `name` is idle and a child works, and how to profile the child. */
export function busyChildText(name: string, { pid, name: child, cpu_percent }: BusyChild): string {
  const [process, busy] = [safeLine(name), safeLine(child)];
  return `${process} is idle. Its child ${busy} (PID ${pid}) uses ${cpu_percent} % of a core and is not profiled. To profile it, start svc again with --child ${busy}.`;
}
