// Rejects a sign-in where no person can complete it.
import { canSee, runsInCi } from '../process/attended.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';

/**
 * Throws an ExitError (3) if no person can see the address of the sign-in page. `open` is false with `--no-open`: a program
 * shows the address to a person itself, so no terminal is needed.
 */
export function requirePerson(io: Pick<Io, 'stderr' | 'env'>, open: boolean): void {
  if (open && !canSee(io)) throw noTerminalError(io.env);
}

/** The ExitError (3) for a login without --web or --token if standard input is not a terminal. */
export function noInputError(io: Pick<Io, 'stderr' | 'env'>): ExitError {
  if (!canSee(io)) return noTerminalError(io.env);
  return new ExitError(
    EXIT.unauthenticated,
    'no_terminal',
    'Cannot log in: standard input is not a terminal.',
    {
      hint: 'Add --token - to read a token from standard input, or --web to sign in with the browser.',
    },
  );
}

/** The ExitError (3) for a sign-in without a terminal. */
function noTerminalError(env: Io['env']): ExitError {
  const reason = runsInCi(env)
    ? 'the environment variable CI is set'
    : 'standard error is not a terminal, so you would not see the address';
  return new ExitError(
    EXIT.unauthenticated,
    'no_terminal',
    `Cannot sign in with a browser: ${reason}.`,
    {
      hint: 'Run this command in a terminal. A program that shows the address to a person adds --no-open. To publish without a browser, set SVC_TOKEN and SVC_API, or pipe a token into svc login --token -.',
    },
  );
}
