// vpt.rs, compiled with Debian's rustc if it is installed, otherwise with another one.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { checkWriter } from '../test/check-writer.ts';

const OPTIONS = ['--edition', '2021', '-O', '-C', 'overflow-checks=yes', '-D', 'warnings'];

const rustc = ['/usr/bin/rustc', 'rustc'].find(
  (command) => spawnSync(command, ['--version']).status === 0,
);

checkWriter({
  language: 'Rust',
  command: rustc === undefined ? [] : [compileWriter(rustc)],
  skip: rustc === undefined ? 'rustc is not installed' : false,
  producer: 'vpt.rs',
  acceptsNul: true,
});

/** Compiles writer_program.rs into a new folder that is removed after the tests. Returns the path of the program. */
function compileWriter(compiler: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-vpt-rust-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'program');
  execFileSync(compiler, [...OPTIONS, '-o', program, 'writer_program.rs'], {
    cwd: join(import.meta.dirname, 'test'),
    stdio: 'inherit',
  });
  return program;
}
