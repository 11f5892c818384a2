// What a command is: data that help texts and completions are made from, with its handler beside it.

import type { Output } from '../output/output.ts';
import type { Io } from '../process/io.ts';

/** What a shell offers for a value: files (by ending), folders, fixed words, or nothing. */
export type ValueHint =
  | { readonly kind: 'file'; readonly endings?: readonly string[] }
  | { readonly kind: 'folder' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export type ArgumentSpec = {
  /** `<FILE>` where it must be given, `[FILE]` where it may. */
  readonly name: string;
  readonly help: string;
  readonly value?: ValueHint;
};

export type OptionSpec = {
  /** As commander reads them: `-o, --out <OUT>`, `--no-open`. */
  readonly flags: string;
  readonly help: string;
  readonly value?: ValueHint;
  /** Turns the text into a value; throws {@link InvalidValueError} where it can't. */
  readonly parse?: (text: string) => unknown;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** True where the command makes no sense without it. */
  readonly required?: true;
};

/** A value on the command line that does not parse: wrong usage, with the reason. */
export class InvalidValueError extends Error {
  override readonly name = 'InvalidValueError';
}

/** One run of a command. `options` is what the command's own option specs produce. */
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
  /** Paragraphs for the command's own help. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Command line and what it does. */
  readonly examples?: readonly (readonly [string, string])[];
  /** True where `--json` writes lines as things happen, not one document at the end. */
  readonly streaming?: boolean;
  /** False where there is no JSON face. */
  readonly json?: false;
  /** Ends well, or throws: an ExitError says what to tell. */
  readonly run: (call: Call<Record<string, unknown>>) => Promise<void>;
};

/** Commands under one word: `svc trace …`. */
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
