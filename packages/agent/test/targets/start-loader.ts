// The C program that works on files on command. It is built once and started in a folder of the
// test.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { within } from '../within.ts';

const SOURCE = fileURLToPath(new URL('./loader.c', import.meta.url));

export type Loader = AsyncDisposable & {
  readonly pid: number;
  /** Resolves when the program has executed the command. The commands are in loader.c. */
  obey(command: string): Promise<void>;
};

/** Starts the program in `folder`. Rejects if it can't be compiled. */
export async function startLoader(folder: string): Promise<Loader> {
  const program = buildLoader();
  const child = spawn(program, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout, pid } = child;
  assert.ok(pid !== undefined, 'the loader runs');
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    pid,
    obey: async (command) => {
      stdin.write(`${command}\n`);
      const { value } = await within(answers.next(), `the loader to ${command}`);
      assert.equal(value, 'done', command);
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await within(exit, 'the loader to exit');
      }
      rmSync(join(program, '..'), { recursive: true, force: true });
    },
  };
}

function buildLoader(): string {
  const program = join(mkdtempSync(join(tmpdir(), 'svc-loader-')), 'loader');
  execFileSync('cc', ['-O1', '-fno-omit-frame-pointer', '-pthread', '-o', program, SOURCE], {
    stdio: 'inherit',
  });
  return program;
}
