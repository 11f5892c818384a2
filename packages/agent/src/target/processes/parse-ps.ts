// The processes of this machine as `ps` prints them, where there is no /proc.
import { basename } from 'node:path';
import type { ListedProcess } from './listed-process.ts';

/** POSIX: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/ps.html. `-ww` keeps long names whole. */
export const PS_ARGUMENTS: readonly string[] = [
  '-A',
  '-ww',
  ...['-o', 'pid=', '-o', 'ppid=', '-o', 'uid=', '-o', 'pcpu=', '-o', 'comm='],
];

export type PsProcess = ListedProcess & { readonly user: number };

/** Parses the output for {@link PS_ARGUMENTS}. Other lines are left out. */
export function parsePs(text: string): PsProcess[] {
  return text.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(-?\d+)\s+(\d+(?:[.,]\d+)?)\s+(\S.*)$/.exec(line);
    if (found === null) return [];
    const [, pid, parent, user, cpu = '', program = ''] = found;
    return [
      {
        ...{ pid: Number(pid), parent: Number(parent), user: Number(user) },
        cpuPercent: Number(cpu.replace(',', '.')),
        startTicks: null,
        name: basename(program.trimEnd()),
        words: [program.trimEnd()],
      },
    ];
  });
}
