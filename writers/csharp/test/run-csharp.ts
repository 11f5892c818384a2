// Compiles C# programs with Mono and runs them.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../../packages/cli/test/svc.ts';

const FOLDER = join(import.meta.dirname, '..');

/** Why the tests cannot run, or false. */
export const noMono: string | false = ['mcs', 'mono'].every((name) =>
  existsSync(`/usr/bin/${name}`),
)
  ? false
  : 'Mono is not installed';

/** Compiles files of `writers/csharp` to a program in a new folder that is removed after the tests. Returns its path. */
export function compileCsharp(
  t: Cleanup,
  files: readonly string[],
  defines: readonly string[] = [],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-csharp-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'program.exe');
  const options = ['-langversion:7.2', '-warnaserror', '-optimize+', `-out:${program}`];
  const defined = defines.map((name) => `-define:${name}`);
  execFileSync('mcs', [...options, ...defined, ...files], { cwd: FOLDER, stdio: 'inherit' });
  return program;
}

/** Runs a compiled program to its end. Returns its standard output as lines. */
export function runCsharp(program: string, args: readonly string[]): string[] {
  const text = execFileSync('mono', [program, ...args], { encoding: 'utf8', timeout: 200_000 });
  return text.trimEnd().split('\n');
}

/** Starts a compiled program. It is killed after the test if it still runs. */
export function startCsharp(t: Cleanup, program: string, args: readonly string[]): ChildProcess {
  const child = spawn('mono', [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}
