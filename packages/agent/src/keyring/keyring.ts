// Provider keys in the OS keyring: the Secret Service on Linux, Keychain, Credential Manager. Never a file of our own.
//
// On Linux the store is pinned: left alone, the library falls back in silence to a kernel keyring that forgets.
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** What went wrong with the keyring. `unavailable`: there is none, or it refuses; `locked`: it was not opened in time. */
export class KeyringError extends Error {
  readonly code: 'keyring_unavailable' | 'keyring_locked';

  constructor(code: KeyringError['code'], message: string) {
    super(message);
    this.name = 'KeyringError';
    this.code = code;
  }
}

/** Everything that is kept is under this service; the account is the provider. */
export const KEYRING_SERVICE = 'svc';

/** A locked keyring may ask the person; it gets this long. */
export const KEYRING_PATIENCE_MS = 15_000;

/**
 * The library gives a call to the Secret Service 2 s, which is too little for a busy machine: what got no reply is asked again
 * for so long. Each operation may be repeated.
 */
const ASK_AGAIN_MS = 10_000;
/** A bus that is gone refuses at once. */
const PAUSE_MS = 100;
const NO_REPLY = /did not receive a reply/i;

type Entry = {
  setPassword(key: string, signal: AbortSignal): Promise<void>;
  getPassword(signal: AbortSignal): Promise<string | null>;
  deletePassword(signal: AbortSignal): Promise<boolean>;
};

/** Why there can be no keyring here, without asking it; null where it must be asked. */
export function keyringMissing(env: Readonly<Record<string, string | undefined>>): string | null {
  if (process.platform !== 'linux' || (env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== '') return null;
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  if (runtime !== '' && existsSync(`${runtime}/bus`)) return null;
  return 'There is no D-Bus session, and so no keyring (Secret Service)';
}

/** The key of a provider, or null. Rejects with KeyringError. */
export function readKey(provider: string): Promise<string | null> {
  return withEntry(provider, (entry, signal) => entry.getPassword(signal));
}

/** Stores a key, and reads it back: what does not come back as it was counts as unavailable. Rejects with KeyringError. */
export async function storeKey(provider: string, key: string): Promise<void> {
  const back = await withEntry(provider, async (entry, signal) => {
    await entry.setPassword(key, signal);
    return entry.getPassword(signal);
  });
  if (back !== key) {
    throw new KeyringError('keyring_unavailable', 'The keyring did not keep the key');
  }
}

/** Removes a key; whether there was one. Rejects with KeyringError. */
export function removeKey(provider: string): Promise<boolean> {
  return withEntry(provider, (entry, signal) => entry.deletePassword(signal));
}

async function withEntry<T>(
  provider: string,
  use: (entry: Entry, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(KEYRING_PATIENCE_MS);
  const last = performance.now() + ASK_AGAIN_MS;
  for (;;) {
    try {
      const { AsyncEntry } = await import('@napi-rs/keyring');
      const store = { linux: { store: 'secret-service' } } as const;
      return await use(new AsyncEntry(KEYRING_SERVICE, provider, store), signal);
    } catch (error) {
      const again = error instanceof Error && NO_REPLY.test(error.message);
      if (!again || performance.now() > last) throw asKeyringError(error);
      await wait(PAUSE_MS);
    }
  }
}

/** The library has one code for everything, so its message decides; it never leaves as it is, because it may hold anything. */
function asKeyringError(error: unknown): KeyringError {
  const message = error instanceof Error ? error.message : '';
  const name = error instanceof Error ? error.name : '';
  if (/\blocked\b|unlock|prompt|dismiss/i.test(message)) {
    return new KeyringError('keyring_locked', 'The keyring is locked, and was not unlocked');
  }
  if (
    name === 'AbortError' ||
    name === 'TimeoutError' ||
    /abort|cancel/i.test(message) ||
    NO_REPLY.test(message)
  ) {
    return new KeyringError(
      'keyring_locked',
      'The keyring did not answer in time; it may be locked',
    );
  }
  if (/cannot find (module|package|native binding)/i.test(message)) {
    return new KeyringError('keyring_unavailable', 'This install has no keyring support');
  }
  return new KeyringError(
    'keyring_unavailable',
    'There is no keyring (Secret Service) that can be used',
  );
}
