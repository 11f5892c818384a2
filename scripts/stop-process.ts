// Stops a process in a test, and waits until it has stopped.
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 2;

/**
 * Sends SIGSTOP and returns when no thread of the process runs any more. On a busy machine that takes some milliseconds: one
 * thread must run to receive the signal, and until then the others still answer requests. Blocks this thread meanwhile.
 */
export function stopProcess(child: Pick<ChildProcess, 'pid' | 'kill'>): void {
  const { pid } = child;
  child.kill('SIGSTOP');
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (readdirSync(tasks).every((id) => isStopped(`${tasks}/${id}/stat`))) return;
    Atomics.wait(pause, 0, 0, PAUSE_MS);
  }
  throw new Error(`Process ${pid} has not stopped`);
}

/** Whether a thread is stopped, or has ended. */
function isStopped(stat: string): boolean {
  try {
    const text = readFileSync(stat, 'latin1');
    // The name before the state is in parentheses, and may contain some itself.
    return 'TtZX'.includes(text.charAt(text.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}
