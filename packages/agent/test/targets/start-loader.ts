// The C program that works on files on command. It is built once and started in a folder of the
// test.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandedProgram, startCommanded } from './commanded-program.ts';

const SOURCE = fileURLToPath(new URL('./loader.c', import.meta.url));

/** The commands are in loader.c. */
export type Loader = CommandedProgram;

/** Starts the program in `folder`. Rejects if it can't be compiled. */
export async function startLoader(folder: string): Promise<Loader> {
  const program = buildLoader();
  return startCommanded([program], folder, () =>
    rmSync(join(program, '..'), { recursive: true, force: true }),
  );
}

function buildLoader(): string {
  const program = join(mkdtempSync(join(tmpdir(), 'svc-loader-')), 'loader');
  execFileSync('cc', ['-O1', '-fno-omit-frame-pointer', '-pthread', '-o', program, SOURCE], {
    stdio: 'inherit',
  });
  return program;
}
