// How a command is defined: the data for its help text and its completions, and its handler.

import type { Output } from '../output/output.ts';
import type { Io } from '../process/io.ts';

/** What a shell offers for a value: files (with these endings), folders or fixed words. */
export type ValueHint =
  | { readonly kind: 'file'; readonly endings?: readonly string[] }
  | { readonly kind: 'folder' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export type ArgumentSpec = {
  /** `<FILE>` if it is required, `[FILE]` if it is optional. */
  readonly name: string;
  readonly help: string;
  readonly value?: ValueHint;
};

export type OptionSpec = {
  /** In commander's syntax: `-o, --out <OUT>`, `--no-open`. */
  readonly flags: string;
  readonly help: string;
  readonly value?: ValueHint;
  /** Parses the text. Throws {@link InvalidValueError} if it is not valid. */
  readonly parse?: (text: string) => unknown;
  /** The accepted values. */
  readonly choices?: readonly string[];
  /** True if the option must be present. */
  readonly required?: true;
};

/** A value on the command line is not valid. The message is the reason. */
export class InvalidValueError extends Error {
  override readonly name = 'InvalidValueError';
}

/** One run of a command. `options` has the values of the options in its definition. */
export type Call<O> = {
  readonly args: readonly string[];
  readonly options: O;
  readonly io: Io;
  readonly output: Output;
};

export type CommandSpec = {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Paragraphs for the command's help text. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** A command line and what it does. */
  readonly examples?: readonly (readonly [string, string])[];
  /** True if `--json` writes one line for each event instead of one document at the end. */
  readonly streaming?: boolean;
  /** False where there is no JSON face. */
  readonly json?: false;
  /** Runs the command. Throws an ExitError if it fails. */
  readonly run: (call: Call<Record<string, unknown>>) => Promise<void>;
};

/** Commands with a common first word: `svc trace …`. */
export type GroupSpec = {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly commands: readonly CommandSpec[];
};

export function isGroup(spec: CommandSpec | GroupSpec): spec is GroupSpec {
  return 'commands' in spec;
}

/** A command whose handler knows its options by type: `O` says what `options` of the spec produce. */
export function defineCommand<O extends object>(
  spec: Omit<CommandSpec, 'run'> & { readonly run: (call: Call<O>) => Promise<void> },
): CommandSpec {
  // The one place where commander's untyped values get the type that the options beside them declare.
  return { ...spec, run: (call) => spec.run(call as unknown as Call<O>) };
}
