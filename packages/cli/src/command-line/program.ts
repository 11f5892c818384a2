// Builds the commander program from the definitions of the commands.
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { EXIT_MEANINGS } from '../process/exit-codes.ts';
import { VERSION } from '../process/version.ts';
import {
  type ArgumentSpec,
  type CommandSpec,
  type GroupSpec,
  InvalidValueError,
  isGroup,
  type OptionSpec,
} from './define-command.ts';

/** Runs the command that the command line names. */
export type RunCommand = (
  spec: CommandSpec,
  args: readonly string[],
  options: Record<string, unknown>,
) => Promise<void>;

/** The program throws CommanderError instead of ending the process, and prints nothing but help. */
export function buildProgram(
  commands: readonly (CommandSpec | GroupSpec)[],
  run: RunCommand,
): Command {
  const program = new Command('svc')
    .description(
      'Profile a game on your machine, and publish it.\n\nsvc sends nothing to a server unless the help of a command says so.',
    )
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [COMMAND]', 'show the help of a command')
    .option('--json', 'write the result as JSON')
    .addHelpText('after', `\n${exitCodeHelp()}\n\nHelp for one command: svc help dashboard`);
  // An option after a command's name belongs to that command: `publish --version 1.2`.
  program.enablePositionalOptions();
  configure(program);
  for (const spec of commands) addSpec(program, spec, run);
  return program;
}

function configure(command: Command): void {
  command
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ subcommandTerm: (sub) => sub.name() });
}

function exitCodeHelp(): string {
  const lines = Object.entries(EXIT_MEANINGS).map(([code, text]) => `  ${code.padEnd(5)}${text}`);
  return ['Exit codes:', ...lines].join('\n');
}

function addSpec(parent: Command, spec: CommandSpec | GroupSpec, run: RunCommand): void {
  const command = parent.command(spec.name).summary(spec.summary);
  configure(command);
  command.helpOption('-h, --help', 'show this help');
  command.description(
    spec.description === undefined ? spec.summary : `${spec.summary}.\n\n${spec.description}`,
  );
  if (isGroup(spec)) {
    command.helpCommand(false);
    for (const child of spec.commands) addSpec(command, child, run);
    return;
  }
  for (const argument of spec.arguments ?? []) command.addArgument(toArgument(argument));
  for (const option of optionsOf(spec)) command.addOption(toOption(option));
  if (spec.program === true) command.usage(`${command.usage()} [-- PROGRAM [ARG...]]`);
  if (spec.examples !== undefined) command.addHelpText('after', formatExamples(spec.examples));
  command.action(async (...all: unknown[]) => {
    const named = spec.arguments ?? [];
    // An argument whose name ends in `...` takes the rest.
    const count = /\.\.\.[\]>]$/.test(named.at(-1)?.name ?? '')
      ? command.args.length
      : named.length;
    const args = command.args.slice(0, count);
    if (all.length > 0) await run(spec, args, command.opts());
  });
}

/** The command's own options, and `--json` if the command has JSON output. */
function optionsOf(spec: CommandSpec): readonly OptionSpec[] {
  const json: OptionSpec = {
    flags: '--json',
    help:
      spec.streaming === true ? 'write one JSON line for each event' : 'write the result as JSON',
  };
  return spec.document === undefined ? (spec.options ?? []) : [...(spec.options ?? []), json];
}

function toOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.help);
  if (spec.choices !== undefined) option.choices(spec.choices);
  if (spec.required === true) option.makeOptionMandatory();
  if (!option.required && !option.optional) return option;
  // Set by `choices`, if there are any.
  const checkChoice = option.parseArg;
  const name = option.long ?? spec.flags;
  let given = false;
  option.argParser((text: string, before: unknown) => {
    if (given && !option.variadic) throw new RepeatedOptionError(name);
    given = true;
    if (checkChoice !== undefined) checkChoice(text, undefined);
    const value = parseValue(spec, text);
    // Commander passes the values of a variadic option one at a time.
    return option.variadic ? [...(Array.isArray(before) ? before : []), value] : value;
  });
  return option;
}

function toArgument({ name, help, value }: ArgumentSpec): Argument {
  const argument = new Argument(name, help);
  if (value?.kind !== 'file' && value?.kind !== 'folder') return argument;
  return argument.argParser((text: string) => {
    if (text === '') throw new InvalidArgumentError(`It must name a ${value.kind}.`);
    return text;
  });
}

/** An option that takes one value was given twice. */
class RepeatedOptionError extends CommanderError {
  constructor(name: string) {
    super(2, 'svc.repeatedOption', `${name} is given more than once. Give it once`);
  }
}

function parseValue({ parse, value }: OptionSpec, text: string): unknown {
  try {
    if (text === '' && value !== undefined && value.kind !== 'words') {
      throw new InvalidValueError(`It must name a ${value.kind}.`);
    }
    return parse === undefined ? text : parse(text);
  } catch (error) {
    if (error instanceof InvalidValueError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

function formatExamples(examples: readonly (readonly [string, string])[]): string {
  const lines = examples.flatMap(([line, meaning]) => [`  $ ${line}`, `      ${meaning}`]);
  return ['', 'Examples:', ...lines].join('\n');
}
