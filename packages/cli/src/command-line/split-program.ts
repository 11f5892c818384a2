// Splits a command line at `--`, behind which a program may follow.
import { type CommandSpec, type GroupSpec, isGroup } from './define-command.ts';

export type SplitLine = {
  /** The words that belong to svc. */
  readonly words: readonly string[];
  /** The program and its arguments. Empty if nothing follows `--`. Null without `--`, or if the command takes no program. */
  readonly launched: readonly string[] | null;
};

export function splitProgram(
  argv: readonly string[],
  specs: readonly (CommandSpec | GroupSpec)[],
): SplitLine {
  const at = argv.indexOf('--');
  const words = argv.slice(0, Math.max(0, at));
  const name = words.find((word) => !word.startsWith('-'));
  const spec = specs.find((one) => one.name === name);
  const takesProgram = spec !== undefined && !isGroup(spec) && spec.program === true;
  return takesProgram ? { words, launched: argv.slice(at + 1) } : { words: argv, launched: null };
}
