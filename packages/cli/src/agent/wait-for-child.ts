// Waits until a program that svc has started has started the process to profile.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LaunchedProgram, ListedProcess, ProgramExit } from '@svc/agent';
import { safeLine } from '../output/text.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import { exitText } from './process-text.ts';

/** The longest wait: a launcher may start the game after a download or a question. */
const CHILD_MS = 60_000;
/** Each look reads all processes. */
const CHECK_MS = 200;
/** The most children that an error names. */
const LISTED = 10;

/**
 * Returns the first process of this name. Throws an ExitError (1) after 60 s, and as soon as the program and everything
 * that it has started have exited. Throws the reason of an aborted signal.
 */
export async function waitForChild(
  program: LaunchedProgram,
  name: string,
  signal: AbortSignal,
): Promise<ListedProcess> {
  const { matchWholeName } = await import('@svc/agent');
  const lastMs = performance.now() + CHILD_MS;
  const ended: { exit: ProgramExit | null } = { exit: null };
  void program.exited.then((exit) => {
    ended.exit = exit;
  });
  for (;;) {
    signal.throwIfAborted();
    const { exit } = ended;
    const children = program.children();
    const [child] = matchWholeName(name, children);
    if (child !== undefined) return child;
    const isOver = exit !== null && children.length === 0;
    if (isOver) throw noChild(`${exitText({ ...exit, name: program.name })}, and`, name, children);
    if (performance.now() > lastMs) {
      throw noChild(`After ${CHILD_MS / 1000} s, ${safeLine(program.name)}`, name, children);
    }
    await sleep(CHECK_MS);
  }
}

function noChild(subject: string, name: string, children: readonly ListedProcess[]): ExitError {
  const names = [...new Set(children.map((one) => safeLine(one.name)))].slice(0, LISTED);
  return new ExitError(
    EXIT.unexpected,
    'no_such_process',
    `${subject} has started no process named "${safeLine(name)}".`,
    {
      hint:
        names.length === 0
          ? 'Start the game first, and name it with --name.'
          : `It has started ${names.join(', ')}: name one of these with --child.`,
    },
  );
}
