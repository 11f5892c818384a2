// Starts a game in an installed browser without a window, for `svc check --run` and `svc publish`.
import type { InputScript, StartTest } from '@svc/recorder';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { VERSION } from '../process/version.ts';

export type GameTest = {
  readonly url: string;
  /** The digest of the build. Null if it is unknown. */
  readonly digest: string | null;
  /** How long the game is recorded after its first frame, in seconds. */
  readonly seconds: number;
  /** What a player does. Null without a script. */
  readonly input: InputScript | null;
  /** The program of the browser. */
  readonly browser: string;
  /** The path of the trace. It is written if the page begins to run. */
  readonly trace: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
};

const SIZE = { width: 1280, height: 720 };

/** The program of the browser. Throws an ExitError (1, `browser_not_found`). */
export async function requireBrowser(named: string | undefined, { env }: Io): Promise<string> {
  const { findBrowser } = await import('@svc/recorder');
  return await explained(async () => findBrowser(named, { platform: process.platform, env }));
}

/** The program of an installed browser. Null if there is none, or SVC_BROWSER is "none". */
export async function browserIfAny({ env }: Io): Promise<string | null> {
  const { findBrowser, RecordError } = await import('@svc/recorder');
  try {
    return findBrowser(undefined, { platform: process.platform, env });
  } catch (error) {
    if (error instanceof RecordError) return null;
    throw error;
  }
}

/** Tests whether the game starts. Throws an ExitError (1 or 10) if the test is not possible, and the reason of the signal. */
export async function testGame({
  url,
  trace,
  input,
  signal,
  ...test
}: GameTest): Promise<StartTest> {
  const { testStart } = await import('@svc/recorder');
  const result = await explained(() =>
    testStart({
      ...test,
      ...{ url, base: url.replace(/\/*$/, '/'), output: trace, signal, version: VERSION },
      ...{
        headless: true,
        size: input?.size ?? SIZE,
        mobile: false,
        cpuSlowdown: 1,
        stacks: false,
      },
      isRoot: process.getuid?.() === 0,
      ...(input !== null && { input }),
    }),
  );
  signal.throwIfAborted();
  return result;
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  const { RecordError } = await import('@svc/recorder');
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    const { code, message, hint } = error;
    const exit = code === 'page_not_loaded' ? EXIT.unreachable : EXIT.unexpected;
    throw new ExitError(exit, code, message, { ...(hint !== null && { hint }), cause: error });
  }
}
