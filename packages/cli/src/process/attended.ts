// Whether a person can answer a question or sign in.
import type { Io } from './io.ts';

/** Whether `CI` is set to a value other than `0` or `false`. Some CI systems give their jobs a terminal. */
export function runsInCi({ CI: value = '' }: Io['env']): boolean {
  return !['', '0', 'false'].includes(value.trim().toLowerCase());
}

/** Whether a person can type an answer: standard input is a terminal, outside CI. */
export function canAnswer({ stdin, env }: Pick<Io, 'stdin' | 'env'>): boolean {
  return stdin.isTTY === true && !runsInCi(env);
}

/** Whether a person can read standard error: it is a terminal, outside CI. */
export function canSee({ stderr, env }: Pick<Io, 'stderr' | 'env'>): boolean {
  return stderr.isTTY === true && !runsInCi(env);
}
