// The identity providers that an API of any version names.
import type { CallAnswer } from './client.ts';
import type { SignInProvider } from './records.ts';

/**
 * The providers in the order of `GET /auth/config`, at least one. An older API states only one: its host is its name, and the store and
 * the command line are the same client.
 */
export function signInProviders(config: CallAnswer<'authConfig'>): readonly SignInProvider[] {
  const { issuer, client_id, providers = [] } = config;
  if (providers.length > 0) return providers;
  const name = URL.canParse(issuer) ? new URL(issuer).host : issuer;
  return [{ issuer, name, client_id, cli_client_id: client_id }];
}
