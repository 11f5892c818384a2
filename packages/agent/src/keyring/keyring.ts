// Stores provider keys in the OS keyring: the Secret Service on Linux, Keychain on macOS,
// Credential Manager on Windows. Keys are never written to a file of svc.
//
// On Linux the store is set explicitly. Otherwise the library silently falls back to a kernel
// keyring that is not permanent.
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * A keyring failure. `keyring_unavailable`: there is no keyring, or it refuses. `keyring_locked`:
 * it was not unlocked in time.
 */
export class KeyringError extends Error {
  readonly code: 'keyring_unavailable' | 'keyring_locked';

  constructor(code: KeyringError['code'], message: string) {
    super(message);
    this.name = 'KeyringError';
    this.code = code;
  }
}

/** The service of every entry in the keyring. The account is the provider. */
const KEYRING_SERVICE = 'svc';

/** How long a keyring operation may take. A locked keyring may ask the user for a password. */
export const KEYRING_PATIENCE_MS = 15_000;

/**
 * The library limits a call to the Secret Service to 2 s, which is too short on a busy machine. A
 * call without a reply is repeated for this long. Every operation may be repeated.
 */
const ASK_AGAIN_MS = 10_000;
/** The pause between two calls. A bus that has gone refuses at once. */
const PAUSE_MS = 100;
const NO_REPLY = /did not receive a reply/i;

type Entry = {
  setPassword(key: string, signal: AbortSignal): Promise<void>;
  getPassword(signal: AbortSignal): Promise<string | null>;
  deletePassword(signal: AbortSignal): Promise<boolean>;
};

/** Why there can't be a keyring, determined without asking one. Null if it must be asked. */
export function keyringMissing(env: Readonly<Record<string, string | undefined>>): string | null {
  if (process.platform !== 'linux' || (env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== '') return null;
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  if (runtime !== '' && existsSync(`${runtime}/bus`)) return null;
  return 'There is no D-Bus session, which the keyring (Secret Service) needs';
}

/** The key of a provider, or null. Rejects with KeyringError. */
export function readKey(provider: string): Promise<string | null> {
  return withEntry(provider, (entry, signal) => entry.getPassword(signal));
}

/**
 * Stores a key and reads it back. If the value differs, the keyring is unavailable. Rejects with
 * KeyringError.
 */
export async function storeKey(provider: string, key: string): Promise<void> {
  const back = await withEntry(provider, async (entry, signal) => {
    await entry.setPassword(key, signal);
    return entry.getPassword(signal);
  });
  if (back !== key) {
    throw new KeyringError('keyring_unavailable', 'The keyring did not keep the key');
  }
}

/** Removes a key. Returns whether there was one. Rejects with KeyringError. */
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

/**
 * Derives the error code from the library's message, because the library has one code for
 * everything. The message itself is not passed on, because it may contain anything.
 */
function asKeyringError(error: unknown): KeyringError {
  const message = error instanceof Error ? error.message : '';
  const name = error instanceof Error ? error.name : '';
  if (/\blocked\b|unlock|prompt|dismiss/i.test(message)) {
    return new KeyringError('keyring_locked', 'The keyring is locked and was not unlocked');
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
    return new KeyringError('keyring_unavailable', 'This installation has no keyring support');
  }
  const keyring = process.platform === 'linux' ? 'keyring (Secret Service)' : 'keyring';
  return new KeyringError('keyring_unavailable', `No usable ${keyring} was found`);
}
