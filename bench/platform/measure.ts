// Functions for the platform's benchmarks: installed programs, medians, server processes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { installPackages } from '../../scripts/provision.ts';

/** The median. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/**
 * Whether a program is installed, or could be installed from a Debian package (default: of the same name). If not, prints
 * which measurement is skipped.
 */
export function hasProgram(name: string, what: string, debianPackage = name): boolean {
  if (isOnPath(name)) return true;
  if (installPackages([debianPackage]) && isOnPath(name)) return true;
  console.log(`skipped: ${what} (Debian: apt-get install ${debianPackage})`);
  return false;
}

function isOnPath(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name} || command -v /usr/sbin/${name}`]).status === 0;
}

/** Starts a server that prints its port first. */
export async function startOnPort(
  command: readonly string[],
): Promise<{ port: number; child: ChildProcess }> {
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { port: Number(line), child };
}

/** Requests per second, measured by wrk with one thread and 32 connections. */
export function requestsPerSecond(url: string, seconds: number): number {
  const { stdout } = spawnSync('wrk', ['-t1', '-c32', `-d${seconds}s`, url], { encoding: 'utf8' });
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
  if (bad !== undefined) throw new Error(`${url}: ${bad} responses were errors`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? Number.NaN);
}
