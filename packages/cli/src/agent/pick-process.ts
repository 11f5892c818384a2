// Asks a person which process to profile.
import type { ListedProcess } from '@svc/agent';
import { safeLine } from '../output/text.ts';
import { canAnswer } from '../process/attended.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';

const PAGE = 12;
const NAME_WIDTH = 20;
const PID_WIDTH = 8;

/** Whether a person can choose from a list: on a terminal that moves its cursor, outside CI. */
export function canPick({ stdin, stdout, env }: Pick<Io, 'stdin' | 'stdout' | 'env'>): boolean {
  return canAnswer({ stdin, env }) && stdout.isTTY === true && env['TERM'] !== 'dumb';
}

/** Where a question is asked, and what withdraws it. */
export type Asking = { readonly io: Io; readonly signal: AbortSignal };

/**
 * Shows the processes in their order and returns the chosen one. What the person types is looked for in the name, the
 * PID and the command line. With `none`, a row above them chooses no process, and null is returned. Throws an ExitError
 * (130) for Ctrl-C, and the reason of an aborted signal.
 */
export async function pickProcess(
  processes: readonly ListedProcess[],
  { io, signal }: Asking,
  { message, none }: { readonly message: string; readonly none: string | null },
): Promise<ListedProcess | null> {
  const { default: search } = await import('@inquirer/search');
  const rows = processes.map((process) => ({
    value: process.pid,
    name: rowOf(process, io.stdout.columns ?? 80),
    short: `${safeLine(process.name)}, PID ${process.pid}`,
    text: [process.name, process.pid, ...process.words].join(' ').toLowerCase(),
  }));
  const noRow = none === null ? [] : [{ value: 0, name: none, short: none }];
  const [first] = rows;
  const pid = await asked(
    search(
      {
        message,
        pageSize: PAGE,
        ...(first !== undefined && { default: first.value }),
        source: (term = '') =>
          term.trim() === ''
            ? [...noRow, ...rows]
            : rows.filter(({ text }) => text.includes(term.trim().toLowerCase())),
      },
      { input: io.stdin, output: io.stdout, signal },
    ),
    signal,
  );
  return processes.find((process) => process.pid === pid) ?? null;
}

/** Asks a question that Enter answers with yes. Throws like {@link pickProcess}. */
export async function confirm(message: string, { io, signal }: Asking): Promise<boolean> {
  const { default: ask } = await import('@inquirer/confirm');
  return await asked(ask({ message }, { input: io.stdin, output: io.stdout, signal }), signal);
}

/** The library reports Ctrl-C and an aborted signal as errors of its own. */
async function asked<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error) || error.name !== 'ExitPromptError') throw error;
    throw new ExitError(EXIT.interrupted, 'interrupted', 'Interrupted.');
  }
}

/** For example `  97 %     4711  my-game               ./my-game --windowed`, cut to the width of the terminal. */
function rowOf({ pid, name, cpuPercent, words }: ListedProcess, width: number): string {
  const cpu = `${Math.round(cpuPercent)} %`.padStart(6);
  const row = `${cpu} ${String(pid).padStart(PID_WIDTH)}  ${safeLine(name).padEnd(NAME_WIDTH)}  ${safeLine(words.join(' '))}`;
  return row.slice(0, Math.max(40, width - 4));
}
