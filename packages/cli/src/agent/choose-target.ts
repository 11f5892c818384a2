// Finds the process that a command line names: by its PID, by its name, as a program to start, or by a question.
import type { LaunchedProgram, ListedProcess } from '@svc/agent';
import { formatCount, safeLine } from '../output/text.ts';
import { EXIT, ExitError, usageError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { type Asking, canPick, confirm, pickProcess } from './pick-process.ts';
import type { ProcessOptions } from './process-options.ts';
import { startFailure } from './start-failure.ts';
import { waitForChild } from './wait-for-child.ts';

/** The process to profile. Disposing of it ends the program that svc has started. */
export type Chosen = AsyncDisposable & {
  /** A process that runs already. Null if none was chosen, or if it is the program. */
  readonly pid: number | null;
  /** When that process started, in ticks of the kernel, if it was chosen from a list. */
  readonly startTicks: number | null;
  /** The program that svc has started. It waits for its start if it is the process to profile, and runs otherwise. */
  readonly program: LaunchedProgram | null;
};

export type ChooseOptions = Asking & {
  readonly options: ProcessOptions;
  /** The program after `--`, or null. */
  readonly program: readonly string[] | null;
  readonly io: Io;
  /** Whether standard output is for a program, so that nothing is asked and the started program does not write there. */
  readonly json: boolean;
  /** Whether a person is asked for a process if the command line names none. */
  readonly ask: boolean;
  /** Called with the program as soon as its process exists. */
  readonly onLaunch: (program: LaunchedProgram) => void;
  readonly warn: (text: string) => void;
};

/** What identifies a chosen process. */
type Identity = Pick<ListedProcess, 'pid' | 'startTicks'>;

/** The most processes that an error lists. */
const LISTED = 10;

/**
 * Throws an ExitError: 1 if there is no such process or program, 2 for contradictory options and an ambiguous name, 130
 * for Ctrl-C in a question. Throws the reason of an aborted signal.
 */
export async function chooseTarget(given: ChooseOptions): Promise<Chosen> {
  refuseContradiction(given);
  const { StartError } = await import('@svc/agent');
  try {
    if (given.program !== null) return await startProgram(given.program, given);
    const chosen = await chooseRunning(given);
    const { pid = null, startTicks = null } = chosen ?? {};
    return { pid, startTicks, program: null, async [Symbol.asyncDispose]() {} };
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
  if (options.child === undefined) return;
  if (ways.length === 0) {
    throw usageError(
      '--child needs the process that starts the child.',
      'Name it with --pid or --name, or start a program: svc dashboard --child game -- ./launcher',
    );
  }
  if (program !== null && process.platform !== 'linux') {
    throw usageError(
      '--child of a program that svc starts needs Linux.',
      'Start the launcher first, and name the game with --pid.',
    );
  }
}

async function startProgram(words: readonly string[], given: ChooseOptions): Promise<Chosen> {
  const { options, io, json, onLaunch, warn, signal } = given;
  const { launchProgram } = await import('@svc/agent');
  const stdout = json ? 'stderr' : 'inherit';
  const program = launchProgram({ words, cwd: io.cwd, env: io.env, stdout });
  onLaunch(program);
  const dispose = async (): Promise<void> => {
    const { name, pid } = program;
    if (await program.end()) return;
    warn(
      `svc may not end ${safeLine(name)}, PID ${pid}, because it runs as another user. To end it: sudo kill ${pid}`,
    );
  };
  const chosen = { program, [Symbol.asyncDispose]: dispose };
  if (options.child === undefined) return { pid: null, startTicks: null, ...chosen };
  program.run();
  try {
    const { pid, startTicks } = await waitForChild(program, options.child, signal);
    return { pid, startTicks, ...chosen };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function chooseRunning(given: ChooseOptions): Promise<Identity | null> {
  const { options, io, json, ask } = given;
  const asks = !json && canPick(io);
  if (options.pid !== undefined) return await chooseByPid(options.pid, given, asks);
  if (options.name !== undefined) return await chooseByName(options.name, given, asks);
  if (!ask || !asks || process.platform === 'win32') return null;
  const { listProcesses } = await import('@svc/agent');
  return await pickProcess(await listProcesses(), given, {
    message: 'Which process do you want to profile?',
    none: 'None: only open traces',
  });
}

async function chooseByPid(pid: number, given: ChooseOptions, asks: boolean): Promise<Identity> {
  const { child } = given.options;
  const { findBusyChild, listProcesses } = await import('@svc/agent');
  if (child !== undefined) return await chooseChild(pid, child, await listProcesses());
  const busy = asks ? await findBusyChild(pid) : null;
  const accepted = busy !== null && (await acceptsChild(`Process ${pid}`, busy, given));
  return accepted ? busy : { pid, startTicks: null };
}

async function chooseByName(name: string, given: ChooseOptions, asks: boolean): Promise<Identity> {
  const { child } = given.options;
  const { busyChildOf, listProcesses, matchName } = await import('@svc/agent');
  const all = await listProcesses();
  const found = matchName(name, all);
  const [first] = found;
  if (first === undefined) {
    throw new ExitError(
      EXIT.unexpected,
      'no_such_process',
      `No process of yours is named "${safeLine(name)}", or runs a script of this name.`,
      { hint: 'Start the game first, or let svc start it: svc dashboard -- ./my-game' },
    );
  }
  const message = `Which "${safeLine(name)}"?`;
  const picks = found.length > 1 && asks;
  const chosen = picks ? await pickProcess(found, given, { message, none: null }) : first;
  if (chosen === null || (found.length > 1 && !asks)) throw ambiguous(name, found);
  if (child !== undefined) return await chooseChild(chosen.pid, child, all);
  const busy = asks ? busyChildOf(chosen.pid, all) : null;
  const accepted = busy !== null && (await acceptsChild(safeLine(chosen.name), busy, given));
  return accepted ? busy : chosen;
}

/** The busiest descendant of this name. `all` has the process with the most CPU time first. */
async function chooseChild(
  pid: number,
  name: string,
  all: readonly ListedProcess[],
): Promise<Identity> {
  const { descendantsOf, matchWholeName } = await import('@svc/agent');
  if (!all.some((one) => one.pid === pid)) {
    throw new ExitError(EXIT.unexpected, 'no_such_process', `You have no process ${pid}.`, {
      hint: 'ps and pidof print the ids of processes. --name finds one by its name.',
    });
  }
  const family = new Set(descendantsOf(pid, all));
  const [child] = matchWholeName(
    name,
    all.filter((one) => family.has(one)),
  );
  if (child !== undefined) return child;
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
    message: `${Math.round(cpuPercent)} % CPU, ${safeLine(words.join(' '))}`,
  }));
  const more = found.length > LISTED ? ` The first ${LISTED} are listed.` : '';
  return new ExitError(
    EXIT.usage,
    'ambiguous_name',
    `${formatCount(found.length)} processes match "${safeLine(name)}".${more}`,
    { hint: 'Choose one with --pid, or write more of its name.', details },
  );
}

async function acceptsChild(name: string, busy: ListedProcess, asking: Asking): Promise<boolean> {
  const child = safeLine(busy.name);
  const uses = Math.round(busy.cpuPercent);
  const message = `${name} is idle. Its child ${child} (PID ${busy.pid}) uses ${uses} % of a core. Profile ${child} instead?`;
  return await confirm(message, asking);
}
