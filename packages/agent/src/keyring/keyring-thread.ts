// One keyring operation in a worker thread. The library connects to the bus when it creates an
// entry, which blocks.
import type { MessagePort } from 'node:worker_threads';
import { KeyringError, readKey, removeKey, storeKey } from './keyring.ts';

/** One operation. `find` returns which providers have a key, without the keys. */
export type KeyringOperation =
  | { readonly do: 'find'; readonly providers: readonly string[] }
  | { readonly do: 'read'; readonly provider: string }
  | { readonly do: 'store'; readonly provider: string; readonly key: string }
  | { readonly do: 'remove'; readonly provider: string };

export type KeyringRole = { readonly role: 'keyring' };

/** The result: providers for `find`, a key or null for `read`, null for the others. */
export type KeyringAnswer =
  | { readonly done: readonly string[] | string | null }
  | { readonly code: KeyringError['code']; readonly message: string };

/**
 * Performs the operation of the first message. Operations are not sent as worker data, because a
 * crash report could contain that.
 */
export function answerKeyring(port: MessagePort): void {
  port.once('message', async (operation: KeyringOperation) => {
    port.postMessage(await answerTo(operation));
  });
}

async function answerTo(operation: KeyringOperation): Promise<KeyringAnswer> {
  try {
    return { done: await perform(operation) };
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error;
    return { code: error.code, message: error.message };
  }
}

async function perform(operation: KeyringOperation): Promise<readonly string[] | string | null> {
  switch (operation.do) {
    case 'read':
      return readKey(operation.provider);
    case 'store':
      await storeKey(operation.provider, operation.key);
      return null;
    case 'remove':
      await removeKey(operation.provider);
      return null;
    case 'find': {
      const found: string[] = [];
      for (const provider of operation.providers) {
        if ((await readKey(provider)) !== null) found.push(provider);
      }
      return found;
    }
  }
}
