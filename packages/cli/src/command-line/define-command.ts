// How a command is defined: the data for its help text and its completions, its JSON document, and its handler.

import type { DocumentName, Documents } from '../documents.ts';
import type { Output } from '../output/output.ts';
import type { Io } from '../process/io.ts';

/** What a shell offers for a value: files (with these endings), folders or fixed words. */
export type ValueHint =
  | { readonly kind: 'file'; readonly endings?: readonly string[] }
  | { readonly kind: 'folder' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export type ArgumentSpec = {
  /** `<FILE>` if it is required, `[FILE]` if it is optional, `[FILE...]` if it may be repeated. */
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

/** One run of a command. `options` has the values of the options in its definition, `output` writes its document. */
export type Call<O, Name extends DocumentName = never> = {
  readonly args: readonly string[];
  readonly options: O;
  /** The program after `--` and its arguments. Null without `--`, and for a command that takes none. */
  readonly program: readonly string[] | null;
  readonly io: Io;
  readonly output: Output<Documents[Name]>;
};

export type CommandSpec = {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Paragraphs for the command's help text. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** True if a program and its arguments may follow after `--`. Words after `--` are arguments of other commands. */
  readonly program?: true;
  /** A command line and what it does. */
  readonly examples?: readonly (readonly [string, string])[];
  /** The document that `--json` writes. A command without one has no `--json`. */
  readonly document?: DocumentName;
  /** True if `--json` writes the document once for each event, as one line, instead of once at the end. */
  readonly streaming?: boolean;
  /** Runs the command. Throws an ExitError if it fails. */
  run(call: Call<Record<string, unknown>>): Promise<void>;
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

/** `notesFile` of `--notes-file <F>`, and `open` of `--no-open`: the key that commander uses. */
type KeyOf<Flags extends string> = Flags extends `${string}--no-${infer Rest}`
  ? CamelCase<FirstWord<Rest>>
  : Flags extends `${string}--${infer Rest}`
    ? CamelCase<FirstWord<Rest>>
    : never;

type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type ParsedValue<Option extends OptionSpec> = Option extends {
  parse: (text: string) => infer Value;
}
  ? Value
  : Option extends { choices: readonly (infer Choice)[] }
    ? Choice
    : string;

type ValueOf<Option extends OptionSpec> = Option['flags'] extends `${string}...>`
  ? readonly ParsedValue<Option>[]
  : Option['flags'] extends `${string}>`
    ? ParsedValue<Option>
    : boolean;

/** An option that always has a value: a required one, and `--no-open`, which is true without the flag. */
type AlwaysSet = { readonly required: true } | { readonly flags: `--no-${string}` };

/** The type of the values that these options produce. */
export type OptionValues<Options extends readonly OptionSpec[]> = {
  readonly [Option in Options[number] as Option extends AlwaysSet
    ? KeyOf<Option['flags']>
    : never]: ValueOf<Option>;
} & {
  readonly [Option in Options[number] as Option extends AlwaysSet
    ? never
    : KeyOf<Option['flags']>]?: ValueOf<Option>;
};

type Definition<Options extends readonly OptionSpec[], Name extends DocumentName> = Omit<
  CommandSpec,
  'options' | 'document' | 'run'
> & {
  readonly options?: Options;
  readonly document?: Name;
  readonly run: (call: Call<OptionValues<Options>, NoInfer<Name>>) => Promise<void>;
};

/**
 * Defines a command. The types of its handler follow from the definition: `options` has the values of its options, and `output`
 * accepts its document only.
 */
export function defineCommand<
  const Options extends readonly OptionSpec[] = readonly [],
  Name extends DocumentName = never,
>(definition: Definition<Options, Name>): CommandSpec {
  return definition;
}
