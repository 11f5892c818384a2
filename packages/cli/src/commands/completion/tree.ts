// The commands in the form that completion scripts need: each place on the command line, and what may follow.
import {
  type ArgumentSpec,
  type CommandSpec,
  type GroupSpec,
  isGroup,
  type OptionSpec,
  type ValueHint,
} from '../../command-line/define-command.ts';

/** One option with all its spellings. */
export type OptionNode = {
  readonly names: readonly string[];
  readonly help: string;
  /** Null if the option takes no value. */
  readonly value: ValueHint | { readonly kind: 'none' } | null;
};

/** A place on the command line. `path` has the words so far, separated by spaces (`trace info`); empty at the start. */
export type PlaceNode = {
  readonly path: string;
  readonly words: readonly { readonly name: string; readonly help: string }[];
  readonly options: readonly OptionNode[];
  /** The kinds of the positional arguments, in order. The last one may repeat. */
  readonly values: readonly (ValueHint | { readonly kind: 'none' })[];
};

const HELP: OptionNode = { names: ['-h', '--help'], help: 'show help', value: null };
const JSON_OPTION: OptionNode = {
  names: ['--json'],
  help: 'write the result as JSON',
  value: null,
};
const VERSION: OptionNode = { names: ['-V', '--version'], help: 'print the version', value: null };

/** All places of the command line, starting with the empty one. */
export function readTree(commands: readonly (CommandSpec | GroupSpec)[]): PlaceNode[] {
  const start: PlaceNode = {
    path: '',
    words: [...commands.map(wordOf), { name: 'help', help: 'show the help of a command' }],
    options: [HELP, VERSION, JSON_OPTION],
    values: [],
  };
  const help: PlaceNode = { path: 'help', words: commands.map(wordOf), options: [], values: [] };
  return [start, ...commands.flatMap((spec) => placesOf('', spec)), help];
}

function placesOf(parent: string, spec: CommandSpec | GroupSpec): PlaceNode[] {
  const path = parent === '' ? spec.name : `${parent} ${spec.name}`;
  if (isGroup(spec)) {
    const words = spec.commands.map(wordOf);
    const group: PlaceNode = { path, words, options: [HELP], values: [] };
    return [group, ...spec.commands.flatMap((child) => placesOf(path, child))];
  }
  const json = spec.document === undefined ? [] : [JSON_OPTION];
  return [
    {
      path,
      words: [],
      options: [...(spec.options ?? []).map(optionOf), ...json, HELP],
      values: (spec.arguments ?? []).map((argument: ArgumentSpec) => argument.value ?? NOTHING),
    },
  ];
}

const NOTHING = { kind: 'none' } as const;

function wordOf(spec: CommandSpec | GroupSpec): { name: string; help: string } {
  return { name: spec.name, help: spec.summary };
}

function optionOf(spec: OptionSpec): OptionNode {
  const names = spec.flags.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? [];
  const takesValue = /[<[]/.test(spec.flags);
  return { names, help: spec.help, value: takesValue ? (spec.value ?? NOTHING) : null };
}
