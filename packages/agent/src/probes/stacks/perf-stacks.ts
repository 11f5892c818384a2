// On-CPU stacks from perf, without privileges: the user's own process, and user space only.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import type { LinuxProcess } from '../../target/pin-process.ts';
import type { ProbeKind } from '../probe-kind.ts';
import type { Program } from '../probe-programs.ts';
import type { ProbeCommand } from '../supervise-probe.ts';
import { PerfStackParser } from './parse-perf.ts';
import { StackBatches } from './stack-batches.ts';

/**
 * From this level on, the kernel allows only root to sample.
 * https://docs.kernel.org/admin-guide/perf-security.html
 */
const DENYING_LEVEL = 3;

/** How long `perf version` may take. */
const VERSION_MS = 5_000;

export const perfStacks: ProbeKind = {
  id: 'stacks',
  open: (context) => {
    const batches = new StackBatches(context);
    const parser = new PerfStackParser((stack) => batches.add(stack));
    return {
      ready: (t) => batches.ready(t),
      line: (text) => parser.line(text),
      tick: (t) => batches.write(t),
      end: (t) => {
        parser.finish();
        batches.end(t);
      },
    };
  },
};

/** The command that samples a process by the program `svc-perf` until its input ends. */
export function perfCommand({ text }: Program, pid: number): ProbeCommand {
  const path = process.env['PATH'] ?? '/usr/bin:/bin';
  const env = { PATH: path, LC_ALL: 'C' };
  // With -c alone, Bash reads ~/.bashrc if its input is a socket.
  const args = ['--norc', '-c', text, 'svc-perf', String(pid)];
  return { file: '/bin/bash', args, env, announces: false };
}

/** Why perf can't sample the process. Null if it can. */
export function perfObstacle({ folder }: LinuxProcess): string | null {
  const user = process.geteuid?.();
  const level = Number(readOr('/proc/sys/kernel/perf_event_paranoid', '2'));
  if (user !== 0 && level >= DENYING_LEVEL) {
    return `only root may use perf here (kernel.perf_event_paranoid is ${level}; 2 allows your own processes)`;
  }
  if (user !== 0 && ownerOf(folder) !== user) return 'perf samples only your own processes';
  const version = spawnSync('perf', ['version'], { stdio: 'ignore', timeout: VERSION_MS });
  return version.status === 0 ? null : 'perf is not installed';
}

function ownerOf(folder: string): number | null {
  try {
    return statSync(folder).uid;
  } catch {
    return null; // it has exited
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return otherwise;
  }
}
