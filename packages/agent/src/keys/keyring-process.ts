// Runs one keyring operation in a process of its own. The library blocks inside native code until the session bus answers,
// which may be never: a thread that is blocked there can't be ended, and Node waits for it at its exit. A process can be killed.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { KEYRING_PATIENCE_MS } from './keyring.ts';
import type { KeyringAnswer, KeyringOperation, KeyringRole } from './keyring-thread.ts';

/** An operation under way. Disposing of it kills the process; `answer` then resolves with `keyring_unavailable`. */
export type AskedKeyring = Disposable & { readonly answer: Promise<KeyringAnswer> };
export type AskKeyring = (operation: KeyringOperation) => AskedKeyring;

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
    const fail = (message: string): void =>
      answer.resolve({ code: 'keyring_unavailable', message });
    const timer = setTimeout(
      () => fail('The keyring did not answer in time'),
      KEYRING_PATIENCE_MS + 1_000,
    );
    child.once('message', (told: KeyringAnswer) => answer.resolve(told));
    child.once('error', () => fail('The keyring failed'));
    child.once('exit', () => fail('The keyring failed'));
    // The operation goes over the channel: neither a command line nor the environment ever holds a key.
    child.send(operation, (error) => {
      if (error !== null) fail('The keyring failed');
    });
    return {
      answer: answer.promise,
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        child.kill('SIGKILL');
        fail('The keyring was not waited for');
      },
    };
  };
}

/**
 * The process's own side: hands the operation to a thread, so that this one is never blocked and can end the process when the
 * program that asked is gone, however that one ended.
 */
export function relayKeyring(entry: URL): void {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const role: KeyringRole = { role: 'keyring' };
  const thread = new Worker(entry, { workerData: role, env: {}, stdin: false });
  process.on('message', (operation) => thread.postMessage(operation));
  thread.once('message', (answer) => process.send?.(answer));
  thread.once('error', () => process.exit(1));
}
