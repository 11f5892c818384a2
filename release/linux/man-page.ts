// The manual page svc(1), made from the definitions of the commands. Macros: https://man7.org/linux/man-pages/man7/man.7.html
import {
  type CommandSpec,
  type GroupSpec,
  isGroup,
  type OptionSpec,
} from '../../packages/cli/src/command-line/define-command.ts';
import { EXIT_MEANINGS } from '../../packages/cli/src/process/exit-codes.ts';

export type Manual = {
  readonly commands: readonly (CommandSpec | GroupSpec)[];
  readonly version: string;
  readonly time: Date;
};

/** Returns the source of the page. */
export function manPage({ commands, version, time }: Manual): string {
  const date = time.toISOString().slice(0, 10);
  return `${[
    `.TH SVC 1 "${date}" ${quoted(`svc ${version}`)} ${quoted('User Commands')}`,
    '.SH NAME',
    'svc \\- profile a game on this machine, and publish it',
    '.SH SYNOPSIS',
    '.B svc',
    '.I COMMAND',
    '.RI [ OPTION ...]',
    '.SH DESCRIPTION',
    'svc finds out why a game hitches and which asset costs the most, on this machine, and publishes its builds to a platform.',
    'It sends nothing to a server unless the description of a command says so.',
    '.SH OPTIONS',
    ...definition('-h, --help', 'show the help of svc or of a command'),
    ...definition(
      '-V, --version',
      'print the version; with --json also those of the format and of Node',
    ),
    ...definition('--json', 'write the result as JSON'),
    '.SH COMMANDS',
    ...commands.flatMap((spec) => section(spec, [])),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_MEANINGS).flatMap(([code, text]) => definition(code, text)),
    '.SH ENVIRONMENT',
    ...definition('SVC_API', 'the address of the platform'),
    ...definition('SVC_TOKEN', 'the token to use instead of the saved one'),
    ...definition('SVC_BROWSER', 'the browser that opens addresses, or none'),
    ...definition('NO_COLOR', 'write no colours'),
    '.SH FILES',
    ...definition('svc.json', 'the game in this folder'),
    ...definition('~/.config/svc/credentials', 'the saved token'),
  ].join('\n')}\n`;
}

export type ServerManual = {
  readonly name: string;
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  readonly version: string;
  readonly time: Date;
};

/** Returns the source of the page of a server. */
export function serverManPage({ name, summary, help, version, time }: ServerManual): string {
  const date = time.toISOString().slice(0, 10);
  return `${[
    `.TH ${quoted(name.toUpperCase())} 1 "${date}" ${quoted(`svc ${version}`)} ${quoted('User Commands')}`,
    '.SH NAME',
    `${text(name)} \\- ${text(summary)}`,
    '.SH SYNOPSIS',
    '.nf',
    ...help.trim().split('\n').map(text),
    '.fi',
  ].join('\n')}\n`;
}

function section(spec: CommandSpec | GroupSpec, parents: readonly string[]): string[] {
  const path = [...parents, spec.name];
  if (isGroup(spec)) return spec.commands.flatMap((child) => section(child, path));
  const words = ['svc', ...path, ...(spec.arguments ?? []).map(({ name }) => name)];
  return [
    `.SS ${quoted(words.join(' '))}`,
    text(`${spec.summary}.`),
    ...paragraphs(spec.description ?? ''),
    ...(spec.arguments ?? []).flatMap(({ name, help }) => definition(name, help)),
    ...(spec.options ?? []).flatMap((option) => definition(option.flags, helpOf(option))),
    ...(spec.examples ?? []).flatMap(([line, meaning]) => [
      '.PP',
      text(`${meaning}:`),
      '.EX',
      `.RS 4\n${text(line)}\n.RE`,
      '.EE',
    ]),
  ];
}

function helpOf({ help, choices }: OptionSpec): string {
  return choices === undefined ? help : `${help} (${choices.join(', ')})`;
}

function paragraphs(all: string): string[] {
  return all
    .split(/\n{2,}/)
    .filter((one) => one !== '')
    .flatMap((one) => ['.PP', ...one.split('\n').map(text)]);
}

function definition(term: string, meaning: string): string[] {
  return ['.TP', `.B ${text(term)}`, ...meaning.split('\n').map(text)];
}

/** Text in which nothing is a request or an escape. Hyphens are those that shells know. */
function text(line: string): string {
  const escaped = line.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

function quoted(words: string): string {
  return `"${text(words).replaceAll('"', '\\(dq')}"`;
}
