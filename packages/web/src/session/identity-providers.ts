// The identity providers that the API names. Finds them, caches what they publish, and chooses one for each sign-in and session.
import {
  type PlatformClient,
  PlatformError,
  type SignInProvider,
  signInProviders,
} from '@svc/contracts/platform';
import type { Log } from '@svc/observe';
import type { AuthorizationServer } from 'oauth4webapi';
import { type ClientCredential, credentialFor } from './client-credential.ts';
import {
  beginSignIn,
  type FoundProvider,
  finishSignIn,
  ProviderError,
  type ProviderTokens,
  readMetadata,
  refreshTokens,
  toProviderError,
} from './identity-provider.ts';
import { isSameIssuer } from './issuer.ts';
import { isClientRejected } from './judge-failure.ts';
import { type Kept, keepFor } from './keep-for.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';

const DISCOVERY_MS = 10 * 60_000;

/** A refresh token, and the provider that issued it. Null if that is not known. */
export type RefreshGrant = { readonly issuer: string | null; readonly refreshToken: string };

export type IdentityProviders = {
  /** The providers in the API's order, at least one. Throws a {@link ProviderError} if the API names none, or the error of a failed API call. */
  list(): Promise<readonly SignInProvider[]>;
  /** Starts a sign-in. Returns the attempt and the address to redirect the browser to. Throws a {@link ProviderError}. */
  begin(
    provider: SignInProvider,
    returnTo: string,
  ): Promise<{ attempt: SignInAttempt; address: string }>;
  /** Exchanges the code in the callback address for tokens, at the provider of the attempt. Throws like `list`. */
  finish(attempt: SignInAttempt, callback: URL): Promise<ProviderTokens>;
  /**
   * Finds the provider's addresses, so that `refresh` sends only its own request. Returns false if the API does not name the provider.
   * Throws like `list`.
   */
  prepare(grant: RefreshGrant): Promise<boolean>;
  /** Exchanges a refresh token for new tokens. Throws a {@link ProviderError} with the cause, or like `list`. */
  refresh(grant: RefreshGrant): Promise<ProviderTokens>;
};

type Parts = {
  readonly api: PlatformClient;
  /** Returns the callback address. */
  readonly redirectUri: () => string;
  readonly credentials: readonly ClientCredential[];
  readonly now: () => number;
  readonly log: Log;
};

/** Creates a client of the providers that the API names. */
export function createIdentityProviders(parts: Parts): IdentityProviders {
  const { api, redirectUri, credentials, now, log } = parts;
  const config = keepFor(DISCOVERY_MS, now, async () => {
    const providers = await readProviders(api);
    warnOfUnusedOnce(providers);
    return providers;
  });
  const servers = new Map<string, Kept<AuthorizationServer>>();
  const warned = new Set<string>();
  const warnOfUnusedOnce = (providers: readonly SignInProvider[]): void => {
    for (const { issuer, setting } of credentials) {
      if (warned.has(setting) || findProvider(providers, issuer) !== null) continue;
      warned.add(setting);
      log.warn(
        `${setting} is not used: the API does not name the identity provider ${issuer}. Compare its address in the settings of the store and of the API`,
      );
    }
  };
  const discover = async (provider: SignInProvider): Promise<FoundProvider> => {
    const { issuer, client_id, offline_access: asksOffline = true } = provider;
    const metadata = servers.get(issuer) ?? keepFor(DISCOVERY_MS, now, () => readMetadata(issuer));
    servers.set(issuer, metadata);
    const server = await metadata.read().catch((error: unknown) => {
      // The API may name another one by now.
      config.forget();
      throw toProviderError(error);
    });
    const credential = credentialFor(credentials, issuer);
    return { server, client: { client_id }, credential, asksOffline };
  };
  const ask = async <T>(
    provider: SignInProvider,
    work: (found: FoundProvider) => Promise<T>,
  ): Promise<T> => {
    const found = await discover(provider);
    return work(found).catch((error: unknown) => {
      if (isClientRejected(error)) warnOfRejection(log, found);
      throw toProviderError(error);
    });
  };
  const named = async (issuer: string | null): Promise<SignInProvider | null> =>
    findProvider(await config.read(), issuer);
  return {
    list: config.read,
    begin: (provider, returnTo) =>
      ask(provider, (found) => beginSignIn(found, redirectUri(), returnTo)),
    async finish(attempt, callback) {
      const provider = await named(attempt.issuer);
      if (provider === null) {
        throw new ProviderError(
          'The identity provider has changed since this sign-in was started.',
        );
      }
      return ask(provider, (found) => finishSignIn(found, redirectUri(), attempt, callback));
    },
    async prepare({ issuer }) {
      const provider = await named(issuer);
      if (provider !== null) await discover(provider);
      return provider !== null;
    },
    async refresh({ issuer, refreshToken }) {
      const provider = await named(issuer);
      if (provider === null) throw new ProviderError('The identity provider has changed.');
      return ask(provider, (found) => refreshTokens(found, refreshToken));
    },
  };
}

/** The provider with this address; null if there is none. */
export function findProvider(
  providers: readonly SignInProvider[],
  issuer: string | null,
): SignInProvider | null {
  if (issuer === null) return null;
  return providers.find((one) => isSameIssuer(one.issuer, issuer)) ?? null;
}

async function readProviders(api: PlatformClient): Promise<readonly SignInProvider[]> {
  const config = await api.call('authConfig', {}).catch((error: unknown) => {
    // An API that names no provider. Any other error says that the API can't be reached now.
    const isRefusal = error instanceof PlatformError && error.code !== null && error.status < 500;
    throw isRefusal ? toProviderError(error) : error;
  });
  return signInProviders(config);
}

function warnOfRejection(log: Log, { server, client, credential }: FoundProvider): void {
  const check =
    credential === null
      ? 'The store has no credential for it. Register a public client, or set SVC_OIDC_ISSUER and SVC_OIDC_CLIENT_SECRET or SVC_OIDC_CLIENT_KEY_FILE'
      : `Check ${credential.setting} of the store, and the client id in the settings of the API`;
  log.warn(`the identity provider ${server.issuer} rejected the store as its client. ${check}`, {
    client_id: client.client_id,
  });
}
