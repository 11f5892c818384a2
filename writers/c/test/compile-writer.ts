// Compiles the program that tests vpt.h.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../../packages/cli/test/svc.ts';

const WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Werror'];

/** Options with which the program counts the allocations of the writer. */
export const COUNT_ALLOCATIONS: readonly string[] = [
  '-DCOUNT_ALLOCATIONS',
  ...['malloc', 'calloc', 'realloc'].map((name) => `-Wl,--wrap=${name}`),
];

/** Compiles writer-program.c into a new folder that is removed after the tests. Returns the path of the program. */
export function compileWriter(t: Cleanup, compiler: string, options: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-vpt-c-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'program.exe');
  execFileSync(compiler, [...options, ...WARNINGS, '-o', program, 'writer-program.c'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  return program;
}
