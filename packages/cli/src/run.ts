// Runs one command line and returns its exit code. All errors of commands are reported here.
import { messageOf } from '@svc/contracts/caught';
import { CommanderError } from 'commander';
import { type CommandSpec, isGroup } from './command-line/define-command.ts';
import { describeUsage } from './command-line/describe-usage.ts';
import { buildProgram } from './command-line/program.ts';
import { splitProgram } from './command-line/split-program.ts';
import { loadCommands } from './commands.ts';
import { createOutput } from './output/output.ts';
import { EXIT, type ExitCode, ExitError, usageError } from './process/exit-codes.ts';
import type { Io } from './process/io.ts';

/** Runs `svc ARGV…`. Does not throw: errors are reported on stderr, and with `--json` on stdout. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const json = asksForJson(argv);
  const ran: { spec: CommandSpec | null } = { spec: null };
  const specs = await loadCommands(argv);
  const { words, launched } = splitProgram(argv, specs);
  const program = buildProgram(specs, async (spec, args, options) => {
    ran.spec = spec;
    if (launched?.length === 0) {
      throw usageError(
        'The program after -- is missing.',
        `For example: svc ${spec.name} -- ./my-game`,
      );
    }
    const streaming = spec.streaming === true;
    const output = createOutput(io, { json: json && spec.document !== undefined, streaming });
    await spec.run({ args, options, program: launched, io, output });
  });
  program.configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    getOutHelpWidth: () => Math.min(io.stdout.columns ?? 80, 100),
  });
  for (const command of everyCommand(program)) command.copyInheritedSettings(program);
  const line = asksForHelp(program, words) ?? [...words];
  try {
    if (line.length === 0) program.outputHelp();
    else await program.parseAsync(line, { from: 'user' });
    return 0;
  } catch (error) {
    if (isAnswered(error)) return 0;
    const command = commandNamed(program, line);
    const failure = toExitError(error, command);
    const spec = ran.spec ?? specs.find(({ name }) => name === namesOf(command)[0]);
    const streaming = spec !== undefined && !isGroup(spec) && spec.streaming === true;
    const printsJson = ran.spec === null || ran.spec.document !== undefined;
    createOutput(io, { json: json && printsJson, streaming }).fail(failure);
    return failure.exitCode;
  }
}

type Program = ReturnType<typeof buildProgram>;

function everyCommand(command: Program): Program[] {
  return command.commands.flatMap((child) => [child, ...everyCommand(child)]);
}

/** Rewrites `help token create` as `token create --help`, because commander's help takes one word. Null for other command lines. */
function asksForHelp(program: Program, argv: readonly string[]): string[] | null {
  const [first, ...words] = argv.filter((word) => !word.startsWith('-'));
  if (first !== 'help' || words.length === 0) return null;
  const path = namesOf(commandNamed(program, words));
  const unknown = words[path.length];
  const isGroup = commandNamed(program, words).commands.length > 0;
  return isGroup && unknown !== undefined ? [...path, unknown] : [...path, '--help'];
}

/** The deepest command that the words of a command line name. */
function commandNamed(program: Program, argv: readonly string[]): Program {
  let command = program;
  for (const word of argv.filter((one) => !one.startsWith('-'))) {
    const child = command.commands.find((one) => one.name() === word);
    if (child === undefined) break;
    command = child;
  }
  return command;
}

/** The words of a command without the program's name: `['token', 'create']`. */
function namesOf(command: Program): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

/** Whether the arguments contain `--json`. Looked up before parsing, so that wrong usage is reported as JSON, too. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

/** Whether the error means that help or the version was printed. */
function isAnswered(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

function toExitError(error: unknown, command: Program): ExitError {
  if (error instanceof ExitError) return error;
  if (error instanceof CommanderError) return toUsageError(error, command);
  const text = messageOf(error);
  const hint =
    process.env['SVC_DEBUG'] === undefined
      ? 'This is a bug in svc. Set SVC_DEBUG=1 to see the stack trace.'
      : error instanceof Error
        ? error.stack
        : undefined;
  return new ExitError(EXIT.unexpected, 'internal', `Unexpected: ${text}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}

function toUsageError(error: CommanderError, command: Program): ExitError {
  if (error.code === 'commander.help') {
    return usageError('The command is missing.', 'Run svc help for the list of commands.');
  }
  const reason = error.message
    .replace(/^error: /, '')
    .replace(/\n(?=\(Did you mean)/, ' ')
    .replace(/\.+$/, '');
  const message = describeUsage(reason).replaceAll('\n', ' ');
  return usageError(
    `${capitalize(message)}.`.replace('?).', '?)'),
    `See ${['svc help', ...namesOf(command)].join(' ')}.`,
  );
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
