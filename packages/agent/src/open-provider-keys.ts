// `@svc/agent/providers`: provider keys and questions to a provider, for programs that run no
// session.
import { keyringAsker } from './keyring/keyring-process.ts';
import { ProviderKeys } from './providers/provider-keys.ts';
import { workerEntry } from './worker-entry.ts';

export { askProvider, type ProviderRequest } from './providers/ask-provider.ts';
export { isProviderUrl, type KnownProvider } from './providers/known-providers.ts';
export type { ProviderKeys };

export type ProviderAccess = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The address of an OpenAI-compatible server, known as `custom`. */
  readonly providerUrl: string | null;
  /** The file that worker threads start from, in a bundle. Without it, the source file is used. */
  readonly workerUrl?: URL;
};

/**
 * Opens the provider keys. They are looked up as in a session: first in the environment, then in
 * the OS keyring. Call `release` when done.
 */
export function openProviderKeys({ env, providerUrl, workerUrl }: ProviderAccess): ProviderKeys {
  const askKeyring = keyringAsker(workerEntry(workerUrl), env);
  return new ProviderKeys({ env, providerUrl, askKeyring, onChange: () => {} });
}
