// Functions for the platform's benchmarks: installed programs, medians, server processes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { installPackages } from '../../scripts/provision.ts';

/** Linux counts processor time in this unit on all of its platforms. */
const TICKS_PER_SECOND = 100;

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

/** Requests per second, measured by wrk with one thread and 32 connections. Nothing else runs in this process meanwhile. */
export function requestsPerSecond(url: string, seconds: number): number {
  const { stdout } = spawnSync('wrk', wrkArguments(url, seconds, 32), { encoding: 'utf8' });
  return readRate(url, stdout);
}

/** As `requestsPerSecond`, for several at once. */
export async function startWrk(url: string, seconds: number, connections: number): Promise<number> {
  const child = spawn('wrk', wrkArguments(url, seconds, connections), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return readRate(url, await text(child.stdout));
}

function wrkArguments(url: string, seconds: number, connections: number): string[] {
  return ['-t1', `-c${connections}`, `-d${seconds}s`, url];
}

function readRate(url: string, output: string): number {
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1];
  if (bad !== undefined) throw new Error(`${url}: ${bad} responses were errors`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1] ?? Number.NaN);
}

/** The processor time that a process has used, in seconds. Source: proc(5), the fields utime and stime of `stat`. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
