// Starts a program that executes the commands on its standard input, one a line, and answers each with a line.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { within } from '../within.ts';

export type CommandedProgram = AsyncDisposable & {
  readonly pid: number;
  /** Resolves with what the answer has before `done`. Rejects if the command failed. */
  obey(command: string): Promise<string>;
  /** Returns whether the signal was sent. */
  kill(signal: NodeJS.Signals): boolean;
};

/** `command` is the program with its arguments. It is killed in the end, before `remove` is called. */
export function startCommanded(
  [file = '', ...args]: readonly string[],
  cwd: string,
  remove: () => void,
): CommandedProgram {
  const child = spawn(file, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout, pid } = child;
  assert.ok(pid !== undefined, `${file} runs`);
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    pid,
    obey: async (command) => {
      stdin.write(`${command}\n`);
      const { value = '' } = await within(answers.next(), `the program to ${command}`);
      assert.ok(value.endsWith('done'), `${command}: ${value}`);
      return value.slice(0, -'done'.length).trim();
    },
    kill: (signal) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await within(exit, 'the program to exit');
      }
      remove();
    },
  };
}
