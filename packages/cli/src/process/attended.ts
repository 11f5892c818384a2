// Whether a person is there to answer a question or to sign in.
import type { Io } from './io.ts';

/** Whether `CI` says that this is an automated job; some give their jobs a terminal that nobody watches. */
export function runsInCi({ CI: value = '' }: Io['env']): boolean {
  return !['', '0', 'false'].includes(value.trim().toLowerCase());
}

/** Whether a person can type an answer. */
export function canAnswer({ stdin, env }: Pick<Io, 'stdin' | 'env'>): boolean {
  return stdin.isTTY === true && !runsInCi(env);
}

/** Whether a person can see what is written to standard error. */
export function canSee({ stderr, env }: Pick<Io, 'stderr' | 'env'>): boolean {
  return stderr.isTTY === true && !runsInCi(env);
}
