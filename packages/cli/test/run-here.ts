// Runs `svc` in the test's own process, for tests that need no process, signal or terminal of their own.
import { PassThrough } from 'node:stream';
import type { Io } from '../src/process/io.ts';
import { run } from '../src/run.ts';
import { bareEnvironment, type Cleanup, type Finished, temporaryFolder } from './svc.ts';

export type HereOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input. Empty by default. */
  readonly input?: string;
  /** Called with all of standard error so far after each write. */
  readonly onStderr?: (text: string) => void;
  /** Replaces parts of the process that the command uses. */
  readonly io?: Partial<Io>;
};

/** Runs a command line to its end. */
export async function runHere(
  t: Cleanup,
  args: readonly string[],
  options: HereOptions = {},
): Promise<Finished> {
  const home = options.env?.['HOME'] ?? temporaryFolder(t);
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      if (name === 'stderr') options.onStderr?.(texts.stderr);
    });
  }
  const code = await run(args, {
    ...streams,
    stdin: new PassThrough().end(options.input ?? ''),
    env: bareEnvironment(home, options.env),
    cwd: options.cwd ?? home,
    onSignal: () => () => {},
    raise: () => {},
    exit: (status) => {
      throw new Error(`The command ends the process with ${status}`);
    },
    ...options.io,
  });
  return { code, ...texts };
}
