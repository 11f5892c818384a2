// What a program that runs no session uses of the model providers: their keys in environment and keyring, and one question.
import { keyringAsker } from './keyring/keyring-process.ts';
import { ProviderKeys } from './providers/provider-keys.ts';
import { workerEntry } from './worker-entry.ts';

export { askProvider, type ProviderRequest } from './providers/ask-provider.ts';
export { isProviderUrl, type KnownProvider } from './providers/known-providers.ts';
export type { ProviderKeys };

export type ProviderAccess = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An OpenAI-compatible address that is known as `custom`. */
  readonly providerUrl: string | null;
  /** Where a bundle keeps the worker; from source it is found by itself. */
  readonly workerUrl?: URL;
};

/** The keys, as a session has them: the environment first, then the OS keyring. `release` them when done. */
export function openProviderKeys({ env, providerUrl, workerUrl }: ProviderAccess): ProviderKeys {
  const askKeyring = keyringAsker(workerEntry(workerUrl), env);
  return new ProviderKeys({ env, providerUrl, askKeyring, onChange: () => {} });
}
