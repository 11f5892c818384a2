// Runs in a worker thread: one keyring operation. The library connects to the bus while it makes an entry, and that blocks.
import type { MessagePort } from 'node:worker_threads';
import { KeyringError, readKey, removeKey, storeKey } from './keyring.ts';

/** One operation; `find` tells which of the providers have a key, and not the keys. */
export type KeyringOperation =
  | { readonly do: 'find'; readonly providers: readonly string[] }
  | { readonly do: 'read'; readonly provider: string }
  | { readonly do: 'store'; readonly provider: string; readonly key: string }
  | { readonly do: 'remove'; readonly provider: string };

export type KeyringRole = { readonly role: 'keyring' };

/** What came of it: providers for `find`, a key or null for `read`, nothing for the others. */
export type KeyringAnswer =
  | { readonly done: readonly string[] | string | null }
  | { readonly code: KeyringError['code']; readonly message: string };

/** Does what the first message asks for; it does not come as worker data, which a crash report could show. */
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
