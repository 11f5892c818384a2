// Runs one keyring operation in a separate process. The library blocks in native code until the
// session bus answers, which may never happen. A blocked thread can't be ended, and Node waits for
// it at exit. A process can be abandoned.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { settledWithin } from '../work/settled-within.ts';
import { KEYRING_PATIENCE_MS } from './keyring.ts';
import type { KeyringAnswer, KeyringOperation, KeyringRole } from './keyring-thread.ts';

/**
 * A running operation. Disposing of it abandons the process, which then ends, and resolves an open
 * `answer` with `keyring_unavailable`.
 */
export type AskedKeyring = Disposable & { readonly answer: Promise<KeyringAnswer> };
export type AskKeyring = (operation: KeyringOperation) => AskedKeyring;

/**
 * How long an abandoned process may continue. It is not killed at once: gnome-keyring can fail for
 * all its clients when one of them disappears during a call.
 */
const LEFT_MS = 5_000;

/** The argument with which the entry of the worker threads runs as the keyring process. */
export const KEYRING_ARGUMENT = 'keyring';

/**
 * Returns a function that starts the keyring process. `entry` is the file that worker threads start
 * from; `env` names the session bus.
 */
export function keyringAsker(
  entry: URL,
  env: Readonly<Record<string, string | undefined>>,
): AskKeyring {
  // The executable that contains all of svc has no file for the process, and no native code of the keyring.
  if (entry.protocol !== 'file:') return () => notInOneFile();
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
    child.once('message', (result: KeyringAnswer) => answer.resolve(result));
    child.once('error', () => fail('The keyring failed'));
    child.once('exit', () => fail('The keyring failed'));
    // The operation is sent over the channel, so that no command line or environment ever contains
    // a key. If the system could not start the process, there is no channel, although the type says
    // otherwise.
    const send: typeof child.send | undefined = child.send;
    if (send === undefined) fail('The keyring could not be reached');
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
        fail('The keyring was abandoned before it answered');
      },
    };
  };
}

function notInOneFile(): AskedKeyring {
  const code = 'keyring_unavailable';
  const message = 'The keyring can be used by svc from npm, but not by the single executable';
  return { answer: Promise.resolve({ code, message }), [Symbol.dispose]: () => {} };
}

/**
 * The keyring process itself. It passes the operation to a thread, so it is never blocked. It ends
 * by itself after the agent has disconnected or exited.
 */
export function relayKeyring(entry: URL): void {
  const role: KeyringRole = { role: 'keyring' };
  const thread = new Worker(entry, { workerData: role, env: {}, stdin: false });
  const answered = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  process.once('disconnect', async () => {
    await settledWithin(answered, LEFT_MS);
    // `process.exit` would wait for the blocked thread.
    process.kill(process.pid, 'SIGKILL');
  });
  process.once('message', (operation) => thread.postMessage(operation));
  thread.once('message', (answer) => {
    if (process.connected) process.send?.(answer);
  });
  thread.once('error', () => process.exit(1));
}
