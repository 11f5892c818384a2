// Runs `svc` as a child process, from source, on the Node that runs the tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** The command's start file. */
export const SVC: string = join(import.meta.dirname, '../bin/svc.mjs');

export type Finished = {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input. Empty by default. */
  readonly input?: string | Uint8Array;
  /** True keeps standard input open, for the test to write to. */
  readonly hold?: boolean;
};

const CACHE = join(tmpdir(), `svc-cache-of-tests-${userInfo().uid}`);

/** An environment without values of the user who runs the tests: its own home folder, no token, no terminal. */
export function bareEnvironment(
  home: string,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LC_ALL: 'C.UTF-8',
    SVC_BROWSER: 'none',
    // The compiled code of svc is kept for all tests.
    XDG_CACHE_HOME: CACHE,
    ...extra,
  };
}

/** Registers a cleanup: a test's context, or a file's `after`. */
export type Cleanup = { after(work: () => unknown): void };

/** A new folder that is removed after the test. */
export function temporaryFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A new folder with these files, which is removed after the test. */
export function folderWith(
  t: Cleanup,
  files: Readonly<Record<string, string | Uint8Array>>,
): string {
  const folder = temporaryFolder(t);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Starts `svc`. It is killed when the test ends. */
export function startSvc(
  t: TestContext,
  args: readonly string[],
  options: RunOptions = {},
): ChildProcess {
  const home = options.env?.['HOME'] ?? temporaryFolder(t);
  const child = spawn(process.execPath, [SVC, ...args], {
    cwd: options.cwd ?? home,
    env: bareEnvironment(home, options.env),
    stdio: 'pipe',
  });
  t.after(() => child.kill('SIGKILL'));
  child.stdin?.on('error', () => {});
  if (options.hold !== true) child.stdin?.end(options.input ?? '');
  return child;
}

/** Runs `svc` to its end. */
export async function runSvc(
  t: TestContext,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  return await finish(startSvc(t, args, options));
}

/** Waits until the process has exited and its output is read. Other listeners of its streams are allowed. */
export async function finish(child: ChildProcess): Promise<Finished> {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, ...output };
}
