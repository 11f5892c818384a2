// The reference of the command line, made from the definitions of the commands.
import {
  type ArgumentSpec,
  type CommandSpec,
  type GroupSpec,
  isGroup,
  type OptionSpec,
} from '../../packages/cli/src/command-line/define-command.ts';
import { EXIT_MEANINGS } from '../../packages/cli/src/process/exit-codes.ts';
import { code, codeBlock, escapeText, paragraphs, table } from './escape.ts';
import { type Schema, schemaTable } from './schema-rows.ts';

type Spec = CommandSpec | GroupSpec;

/** Finds the schema of a JSON document by the name in a definition. */
export type FindSchema = (document: string) => Schema;

/** The first page: all commands, what all have in common, and the exit codes. */
export function commandsPage(specs: readonly Spec[], errors: Schema): string {
  return `${paragraphs(
    '# Commands',
    'All commands of `svc`, made from their definitions. [The guide](../../docs/cli.md) explains how they are used.',
    codeBlock('text', 'svc COMMAND [OPTION ...]'),
    table(
      ['command', 'what it does'],
      specs.map(({ name, summary }) => [
        `[${code(`svc ${name}`)}](${name}.md)`,
        escapeText(summary),
      ]),
    ),
    '## Options of all commands',
    table(
      ['option', 'meaning'],
      [
        ['`-h`, `--help`', 'shows the help of svc or of a command'],
        [
          '`-V`, `--version`',
          'prints the version; with `--json` also those of the trace format and of Node. Give it without a command',
        ],
        ['`--json`', 'writes the result as JSON. A command that has no document rejects it'],
      ],
    ),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      Object.entries(EXIT_MEANINGS).map(([number, meaning]) => [number, escapeText(meaning)]),
    ),
    '## The document of an error',
    'With `--json`, a command that fails writes this document, beside the fields of its result if there are any.',
    schemaTable(errors),
  )}\n`;
}

/** The page of a command, or of a group with a section for each of its commands. */
export function commandPage(spec: Spec, findSchema: FindSchema): string {
  if (!isGroup(spec)) return `${commandSection(spec, ['svc', spec.name], '#', findSchema)}\n`;
  return `${paragraphs(
    `# svc ${spec.name}`,
    `${escapeText(spec.summary)}.`,
    descriptionOf(spec),
    ...spec.commands.map((one) =>
      commandSection(one, ['svc', spec.name, one.name], '##', findSchema),
    ),
  )}\n`;
}

function commandSection(
  spec: CommandSpec,
  words: readonly string[],
  level: string,
  findSchema: FindSchema,
): string {
  const below = `${level}#`;
  return paragraphs(
    `${level} ${words.join(' ')}`,
    `${escapeText(spec.summary)}.`,
    codeBlock('text', usageOf(spec, words)),
    descriptionOf(spec),
    titled(`${below} Arguments`, argumentTable(spec.arguments ?? [])),
    titled(`${below} Options`, optionTable(optionsOf(spec))),
    titled(`${below} Examples`, examplesOf(spec)),
    titled(`${below} JSON output`, outputOf(spec, findSchema)),
    'The exit codes are [those of all commands](index.md#exit-codes).',
  );
}

/** Paragraphs of text. Lines that begin with spaces are aligned, and stay as they are. */
function descriptionOf({ description = '' }: Pick<CommandSpec, 'description'>): string {
  const parts = description.split(/((?:^ +\S.*(?:\n|$))+)/m);
  return paragraphs(
    ...parts.map((part, index) =>
      index % 2 === 1 ? codeBlock('text', part) : escapeText(part.trim()),
    ),
  );
}

function usageOf(
  { arguments: named = [], options = [], program }: CommandSpec,
  words: readonly string[],
): string {
  const required = options
    .filter((option) => option.required === true)
    .map(({ flags }) => longForm(flags));
  return [
    ...words,
    ...named.map(({ name }) => name),
    ...required,
    '[OPTION ...]',
    ...(program === true ? ['[-- PROGRAM [ARG ...]]'] : []),
  ].join(' ');
}

/** `--out <OUT>` of `-o, --out <OUT>`. */
function longForm(flags: string): string {
  return flags.slice(flags.indexOf('--'));
}

function argumentTable(named: readonly ArgumentSpec[]): string {
  return table(
    ['argument', 'meaning'],
    named.map(({ name, help }) => [code(name), escapeText(help)]),
  );
}

function optionsOf(spec: CommandSpec): readonly OptionSpec[] {
  if (spec.document === undefined) return spec.options ?? [];
  const help =
    spec.streaming === true ? 'write one JSON line for each event' : 'write the result as JSON';
  return [...(spec.options ?? []), { flags: '--json', help }];
}

function optionTable(options: readonly OptionSpec[]): string {
  return table(
    ['option', 'meaning'],
    options.map((option) => [code(option.flags), optionMeaning(option)]),
  );
}

function optionMeaning({ help, choices, required }: OptionSpec): string {
  const allowed = choices === undefined ? [] : [`one of ${choices.map(code).join(', ')}`];
  return [escapeText(help), ...allowed, ...(required === true ? ['required'] : [])].join('; ');
}

function examplesOf({ examples = [] }: CommandSpec): string {
  return paragraphs(
    ...examples.map(([line, meaning]) =>
      paragraphs(`${escapeText(meaning)}:`, codeBlock('sh', line)),
    ),
  );
}

function outputOf({ document, streaming }: CommandSpec, findSchema: FindSchema): string {
  if (document === undefined) return '';
  const file = `${document}.output.json`;
  return paragraphs(
    `\`--json\` writes ${streaming === true ? 'one line for each event' : 'one document'}, by the schema [\`${file}\`](../../packages/cli/schemas/${file}).`,
    schemaTable(findSchema(document)),
  );
}

function titled(title: string, content: string): string {
  return content === '' ? '' : paragraphs(title, content);
}
