// Runs one command line: arguments in, exit code out. Every failure of a command ends here.
import { CommanderError } from 'commander';
import { type CommandSpec, isGroup } from './command-line/define-command.ts';
import { describeUsage } from './command-line/describe-usage.ts';
import { buildProgram } from './command-line/program.ts';
import { loadCommands } from './commands.ts';
import { createOutput } from './output/output.ts';
import { EXIT, type ExitCode, ExitError, usageError } from './process/exit-codes.ts';
import type { Io } from './process/io.ts';

/** Runs `svc ARGV…`. Never throws; what went wrong is told on stderr, and on stdout in the JSON face. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const json = asksForJson(argv);
  const ran: { spec: CommandSpec | null } = { spec: null };
  const specs = await loadCommands(argv);
  const program = buildProgram(specs, async (spec, args, options) => {
    ran.spec = spec;
    const streaming = spec.streaming === true;
    const output = createOutput(io, { json: json && spec.json !== false, streaming });
    await spec.run({ args, options, io, output });
  });
  program.configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    getOutHelpWidth: () => Math.min(io.stdout.columns ?? 80, 100),
  });
  for (const command of everyCommand(program)) command.copyInheritedSettings(program);
  const line = asksForHelp(program, argv) ?? [...argv];
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
    createOutput(io, { json: json && ran.spec?.json !== false, streaming }).fail(failure);
    return failure.exitCode;
  }
}

type Program = ReturnType<typeof buildProgram>;

function everyCommand(command: Program): Program[] {
  return command.commands.flatMap((child) => [child, ...everyCommand(child)]);
}

/** `help token create` as `token create --help`, which commander has for one word only; null for other command lines. */
function asksForHelp(program: Program, argv: readonly string[]): string[] | null {
  const [first, ...words] = argv.filter((word) => !word.startsWith('-'));
  if (first !== 'help' || words.length === 0) return null;
  const path = namesOf(commandNamed(program, words));
  const unknown = words[path.length];
  const isGroup = commandNamed(program, words).commands.length > 0;
  return isGroup && unknown !== undefined ? [...path, unknown] : [...path, '--help'];
}

/** The command that the words of a command line lead to, as far as they name one. */
function commandNamed(program: Program, argv: readonly string[]): Program {
  let command = program;
  for (const word of argv.filter((one) => !one.startsWith('-'))) {
    const child = command.commands.find((one) => one.name() === word);
    if (child === undefined) break;
    command = child;
  }
  return command;
}

/** `['token', 'create']`, without the program's own name. */
function namesOf(command: Program): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

/** Whether `--json` stands among the arguments: known before they parse, so that wrong usage is told as JSON too. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

/** Help and version were asked for and printed. */
function isAnswered(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

function toExitError(error: unknown, command: Program): ExitError {
  if (error instanceof ExitError) return error;
  if (error instanceof CommanderError) return toUsageError(error, command);
  const text = error instanceof Error ? error.message : String(error);
  const hint =
    process.env['SVC_DEBUG'] === undefined
      ? 'This is a fault in svc itself. SVC_DEBUG=1 shows where.'
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
    return usageError('A command is missing.', 'svc help lists the commands.');
  }
  const told = error.message
    .replace(/^error: /, '')
    .replace(/\n(?=\(Did you mean)/, ' ')
    .replace(/\.+$/, '');
  const message = describeUsage(told).replaceAll('\n', ' ');
  return usageError(
    `${capitalize(message)}.`.replace('?).', '?)'),
    `See ${['svc help', ...namesOf(command)].join(' ')}.`,
  );
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
