// Runs one keyring operation in a process of its own. The library blocks inside native code until the session bus answers,
// which may be never: a thread that is blocked there can't be ended, and Node waits for it at its exit. A process can be left.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { settledWithin } from '../work/settled-within.ts';
import { KEYRING_PATIENCE_MS } from './keyring.ts';
import type { KeyringAnswer, KeyringOperation, KeyringRole } from './keyring-thread.ts';

/** An operation under way. Disposing of it leaves the process, which then ends; an open `answer` is `keyring_unavailable`. */
export type AskedKeyring = Disposable & { readonly answer: Promise<KeyringAnswer> };
export type AskKeyring = (operation: KeyringOperation) => AskedKeyring;

/**
 * How long a process that was left may go on. It is not killed at once: gnome-keyring can fail for all its clients when one of
 * them vanishes in the middle of a call.
 */
const LEFT_MS = 5_000;

/** The argument that makes the entry of the worker threads run as the keyring's process. */
export const KEYRING_ARGUMENT = 'keyring';

/** Returns what starts the process; `entry` is the file that worker threads start from too, `env` names the session bus. */
export function keyringAsker(
  entry: URL,
  env: Readonly<Record<string, string | undefined>>,
): AskKeyring {
  return (operation) => {
    const { NODE_OPTIONS: _, ...environment } = env;
    const child = fork(fileURLToPath(entry), [KEYRING_ARGUMENT], {
      env: environment,
      execArgv: ['--disable-sigusr1'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const answer = Promise.withResolvers<KeyringAnswer>();
    const timer = setTimeout(
      () => fail('The keyring did not answer in time'),
      KEYRING_PATIENCE_MS + 1_000,
    );
    const fail = (message: string): void => {
      clearTimeout(timer);
      answer.resolve({ code: 'keyring_unavailable', message });
    };
    child.once('message', (told: KeyringAnswer) => answer.resolve(told));
    child.once('error', () => fail('The keyring failed'));
    child.once('exit', () => fail('The keyring failed'));
    // The operation goes over the channel: neither a command line nor the environment ever holds a key.
    // A process that the system has no room for has no channel either, whatever its type says.
    const send: typeof child.send | undefined = child.send;
    if (send === undefined) fail('The keyring could not be asked');
    else {
      child.send(operation, (error) => {
        if (error !== null) fail('The keyring failed');
      });
    }
    return {
      answer: answer.promise,
      [Symbol.dispose]: () => {
        if (child.connected) child.disconnect();
        child.unref();
        fail('The keyring was not waited for');
      },
    };
  };
}

/**
 * The process's own side: hands the operation to a thread, so that this one is never blocked and ends by itself after the
 * program that asked has left it, however that one ended.
 */
export function relayKeyring(entry: URL): void {
  const role: KeyringRole = { role: 'keyring' };
  const thread = new Worker(entry, { workerData: role, env: {}, stdin: false });
  const answered = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  process.once('disconnect', async () => {
    await settledWithin(answered, LEFT_MS);
    // Not by `process.exit`, which waits for a thread that is blocked.
    process.kill(process.pid, 'SIGKILL');
  });
  process.once('message', (operation) => thread.postMessage(operation));
  thread.once('message', (answer) => {
    if (process.connected) process.send?.(answer);
  });
  thread.once('error', () => process.exit(1));
}
