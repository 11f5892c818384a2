// Runs the work of a command that a signal ends in order.
import { constants } from 'node:os';
import { codeOf } from '@svc/contracts/caught';
import { ENDING_SIGNALS } from '@svc/serve';

/**
 * Runs work until it ends, or until a signal arrives. Then the work's signal is aborted, `interrupted` is printed when the work has
 * ended, and the exit code is 128 plus the number of the signal. Work that was almost done may still end well: then neither
 * happens. A second signal ends the process at once.
 */
export async function interruptible(
  interrupted: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  let code = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    code = 128 + constants.signals[name];
    if (ending.signal.aborted) process.exit(code);
    ending.abort(new Error(interrupted));
  };
  for (const name of ENDING_SIGNALS) process.on(name, onSignal);
  try {
    await work(ending.signal);
  } catch (error) {
    if (!ending.signal.aborted) throw explain(error);
    process.exitCode = code;
    process.stderr.write(`${interrupted}\n`);
  } finally {
    for (const name of ENDING_SIGNALS) process.off(name, onSignal);
  }
}

/** Only the local disk for temporary files fails with this code: the stores have errors of their own. */
function explain(error: unknown): unknown {
  const isSpoolFull = error instanceof Error && codeOf(error) === 'ENOSPC' && 'syscall' in error;
  if (!isSpoolFull) return error;
  return new Error(
    'The disk for temporary files is full. Free space, or name another folder with SVC_SPOOL_DIR',
    { cause: error },
  );
}
