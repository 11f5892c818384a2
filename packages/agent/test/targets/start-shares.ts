// Starts the programs whose functions take known shares of their time.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { within } from '../within.ts';

export type Shares = AsyncDisposable & { readonly pid: number };

/** Whether C can be compiled here. */
export function hasCompiler(): boolean {
  return spawnSync('cc', ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * The C program. `through` is a command that runs it, such as one that switches to another user.
 */
export async function startNativeShares(through: readonly string[] = []): Promise<Shares> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-shares-'));
  chmodSync(folder, 0o755);
  const program = join(folder, 'shares');
  const source = fileURLToPath(new URL('./shares.c', import.meta.url));
  execFileSync('cc', ['-O0', '-fno-omit-frame-pointer', '-pthread', '-o', program, source], {
    stdio: 'inherit',
  });
  return await start([...through, program], () => rmSync(folder, { recursive: true }));
}

/**
 * The JavaScript program, with a map of the code that it compiles, in which each function keeps its
 * own frame.
 */
export async function startNodeShares(): Promise<Shares> {
  const source = fileURLToPath(new URL('./shares.mjs', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'svc-shares-'));
  const flags = [
    '--perf-basic-prof',
    '--interpreted-frames-native-stack',
    '--no-turbo-inlining',
    '--no-maglev-inlining',
  ];
  // V8 writes a log to its working folder.
  const shares = await start(
    [process.execPath, ...flags, source],
    () => {
      rmSync(`/tmp/perf-${shares.pid}.map`, { force: true });
      rmSync(folder, { recursive: true });
    },
    folder,
  );
  return shares;
}

async function start(
  [command = '', ...args]: string[],
  clean: () => void,
  cwd = process.cwd(),
): Promise<Shares> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  await within(once(child.stdout, 'data'), 'the target to run');
  const { pid } = child;
  assert.ok(pid !== undefined);
  return {
    pid,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await within(exit, 'the target to exit');
      }
      clean();
    },
  };
}
