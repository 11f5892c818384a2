// Finds the process that a command line names: by its PID, by its name, as a program to start, or by a question.
import type { LaunchedProgram, ListedProcess } from '@svc/agent';
import { formatCount, safeLine } from '../output/text.ts';
import { EXIT, ExitError, usageError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { type Asking, canPick, confirm, pickProcess } from './pick-process.ts';
import type { ProcessOptions } from './process-options.ts';
import { startFailure } from './start-failure.ts';

/** The process to profile. Disposing of it ends the program that svc has started. */
export type Chosen = AsyncDisposable & {
  /** A process that runs already. Null if none was chosen, or if it is the program. */
  readonly pid: number | null;
  /** The program that svc has started. It waits for its start if it is the process to profile, and runs otherwise. */
  readonly program: LaunchedProgram | null;
};

export type ChooseOptions = {
  readonly options: ProcessOptions;
  /** The program after `--`, or null. */
  readonly program: readonly string[] | null;
  readonly io: Io;
  /** Whether standard output is for a program, so that nothing is asked and the started program does not write there. */
  readonly json: boolean;
  /** Whether a person is asked for a process if the command line names none. */
  readonly ask: boolean;
  readonly signal: AbortSignal;
};

/** The longest wait for a child, which a launcher may start after a download or a question. */
const CHILD_MS = 60_000;
const CHECK_MS = 50;
/** The most processes that an error lists. */
const LISTED = 10;

/** Throws an ExitError: 1 if there is no such process or program, 2 for contradictory options and an ambiguous name, 130. */
export async function chooseTarget(given: ChooseOptions): Promise<Chosen> {
  refuseContradiction(given);
  const { StartError } = await import('@svc/agent');
  try {
    return await choose(given);
  } catch (error) {
    throw error instanceof StartError ? startFailure(error) : error;
  }
}

function refuseContradiction({ options, program }: ChooseOptions): void {
  const ways = [
    ...(options.pid === undefined ? [] : ['--pid']),
    ...(options.name === undefined ? [] : ['--name']),
    ...(program === null ? [] : ['a program after --']),
  ];
  if (ways.length > 1) {
    throw usageError(
      `${ways.join(' and ')} name more than one process.`,
      'svc profiles one process at a time: give one of them.',
    );
  }
  if (ways.length === 0 && options.child !== undefined) {
    throw usageError(
      '--child needs the process that starts the child.',
      'Name it with --pid or --name, or start a program: svc dashboard --child game -- ./launcher',
    );
  }
}

async function choose(given: ChooseOptions): Promise<Chosen> {
  const { options, program, io, json, ask } = given;
  if (program !== null) return await startProgram(program, given);
  const asks = !json && canPick(io);
  if (options.pid !== undefined) return only(await chooseByPid(options.pid, given, asks));
  if (options.name !== undefined) return only(await chooseByName(options.name, given, asks));
  if (!ask || !asks || process.platform === 'win32') return only(null);
  const { listProcesses } = await import('@svc/agent');
  const picked = await pickProcess(await listProcesses(), given, {
    message: 'Which process do you want to profile?',
    none: 'None: only open traces',
  });
  return only(picked?.pid ?? null);
}

function only(pid: number | null): Chosen {
  return { pid, program: null, async [Symbol.asyncDispose]() {} };
}

async function startProgram(
  words: readonly string[],
  { options, io, json, signal }: ChooseOptions,
): Promise<Chosen> {
  const { launchProgram } = await import('@svc/agent');
  const stdout = json ? 'stderr' : 'inherit';
  const program = launchProgram({ words, cwd: io.cwd, env: io.env, stdout });
  const dispose = () => program[Symbol.asyncDispose]();
  if (options.child === undefined) {
    return { pid: null, program, [Symbol.asyncDispose]: dispose };
  }
  program.run();
  try {
    const pid = await waitForChild(program, options.child, signal);
    return { pid, program, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function waitForChild(
  program: LaunchedProgram,
  name: string,
  signal: AbortSignal,
): Promise<number> {
  const { matchWholeName } = await import('@svc/agent');
  const lastMs = performance.now() + CHILD_MS;
  while (performance.now() < lastMs) {
    signal.throwIfAborted();
    const [child] = matchWholeName(name, program.children());
    if (child !== undefined) return child.pid;
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
  const seconds = CHILD_MS / 1000;
  throw new ExitError(
    EXIT.unexpected,
    'no_such_process',
    `${safeLine(program.name)} has not started a process named "${safeLine(name)}" in ${seconds} s.`,
    { hint: 'Name the child as ps prints it, or start the program first and use --name.' },
  );
}

async function chooseByPid(pid: number, given: ChooseOptions, asks: boolean): Promise<number> {
  const { options } = given;
  const { findBusyChild, listProcesses } = await import('@svc/agent');
  if (options.child !== undefined) {
    return await chooseChild(pid, options.child, await listProcesses());
  }
  const busy = asks ? await findBusyChild(pid) : null;
  return await offerChild(`Process ${pid}`, pid, busy, given);
}

async function chooseByName(name: string, given: ChooseOptions, asks: boolean): Promise<number> {
  const { options } = given;
  const { busyChildOf, listProcesses, matchName } = await import('@svc/agent');
  const all = await listProcesses();
  const found = matchName(name, all);
  const [first] = found;
  if (first === undefined) {
    throw new ExitError(
      EXIT.unexpected,
      'no_such_process',
      `No process of yours is named "${safeLine(name)}", or has it in its command line.`,
      { hint: 'Start the game first, or let svc start it: svc dashboard -- ./my-game' },
    );
  }
  const chosen =
    found.length === 1
      ? first
      : asks
        ? await pickProcess(found, given, { message: `Which "${safeLine(name)}"?`, none: null })
        : null;
  if (chosen === null) throw ambiguous(name, found);
  if (options.child !== undefined) return await chooseChild(chosen.pid, options.child, all);
  if (!asks) return chosen.pid;
  return await offerChild(safeLine(chosen.name), chosen.pid, busyChildOf(chosen.pid, all), given);
}

/** The busiest descendant of this name. `all` has the process with the most CPU time first. */
async function chooseChild(
  pid: number,
  name: string,
  all: readonly ListedProcess[],
): Promise<number> {
  const { descendantsOf, matchWholeName } = await import('@svc/agent');
  const family = new Set(descendantsOf(pid, all));
  const [child] = matchWholeName(
    name,
    all.filter((one) => family.has(one)),
  );
  if (child !== undefined) return child.pid;
  throw new ExitError(
    EXIT.unexpected,
    'no_such_process',
    `Process ${pid} has started no process named "${safeLine(name)}".`,
    { hint: 'Name the child as ps prints it.' },
  );
}

function ambiguous(name: string, found: readonly ListedProcess[]): ExitError {
  const details = found.slice(0, LISTED).map(({ pid, cpuPercent, words }) => ({
    path: `PID ${pid}`,
    message: `${Math.round(cpuPercent)} % CPU, ${words.join(' ')}`,
  }));
  const more = found.length > LISTED ? ` The first ${LISTED} are listed.` : '';
  return new ExitError(
    EXIT.usage,
    'ambiguous_name',
    `${formatCount(found.length)} processes match "${safeLine(name)}".${more}`,
    { hint: 'Choose one with --pid, or write more of its name.', details },
  );
}

async function offerChild(
  name: string,
  pid: number,
  busy: ListedProcess | null,
  asking: Asking,
): Promise<number> {
  if (busy === null) return pid;
  const child = safeLine(busy.name);
  const uses = Math.round(busy.cpuPercent);
  const message = `${name} is idle. Its child ${child} (PID ${busy.pid}) uses ${uses} % of a core. Profile ${child} instead?`;
  return (await confirm(message, asking)) ? busy.pid : pid;
}
