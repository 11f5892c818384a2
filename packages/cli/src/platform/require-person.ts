// Refuses to wait for a sign-in where nobody can sign in.
import { canSee, runsInCi } from '../process/attended.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';

/**
 * Throws an ExitError (3) where no person would see the address to sign in at. `open` is false where the caller asked for the
 * address alone, to show it to a person in its own way: then no terminal is needed.
 */
export function requirePerson(io: Pick<Io, 'stderr' | 'env'>, open: boolean): void {
  if (open && !canSee(io)) throw nobodyToSignIn(io.env);
}

/** The ExitError (3) for a login that was left to choose its way, where standard input is no terminal. */
export function nobodyToAnswer(io: Pick<Io, 'stderr' | 'env'>): ExitError {
  if (!canSee(io)) return nobodyToSignIn(io.env);
  return new ExitError(
    EXIT.unauthenticated,
    'no_terminal',
    'Cannot log in: standard input is not a terminal.',
    {
      hint: 'Add --token - to read a token from it, or --web to sign in with the browser.',
    },
  );
}

/** The ExitError (3) for a sign-in without a person. */
function nobodyToSignIn(env: Io['env']): ExitError {
  const reason = runsInCi(env)
    ? 'CI is set, so nobody is there'
    : 'there is no terminal to show the address on';
  return new ExitError(
    EXIT.unauthenticated,
    'no_terminal',
    `Cannot sign in with a browser: ${reason}.`,
    {
      hint: 'Run this command on a terminal of your own; a program that shows the address to a person adds --no-open. Publishing needs no browser: set SVC_TOKEN and SVC_API, or hand a token to svc login --token -.',
    },
  );
}
