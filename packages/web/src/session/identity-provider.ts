// Client of the identity provider that the API names: OpenID Connect with discovery and PKCE.
import { type PlatformClient, PlatformError } from '@svc/contracts/platform';
import * as oauth from 'oauth4webapi';
import type { SignInAttempt } from './sign-in-attempt.ts';

const DISCOVERY_MS = 10 * 60_000;
const TIMEOUT_MS = 10_000;

/** The provider's tokens. `expiresAt` is when the ID token expires, in milliseconds since 1970. */
export type ProviderTokens = {
  readonly idToken: string;
  readonly refreshToken: string | null;
  readonly expiresAt: number;
};

/** The provider can't be reached or violates OpenID Connect. The message is shown to users. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
}

export type IdentityProvider = {
  /**
   * Starts a sign-in. Returns the attempt and the address to redirect the browser to. Throws a {@link ProviderError}, or
   * the error of a failed API call.
   */
  begin(returnTo: string): Promise<{ attempt: SignInAttempt; address: string }>;
  /** Exchanges the code in the callback address for tokens. Throws a {@link ProviderError}. */
  finish(attempt: SignInAttempt, callback: URL): Promise<ProviderTokens>;
  /** Finds the provider's addresses, so that the next call sends only its own request. Throws like `begin`. */
  prepare(): Promise<void>;
  /** Exchanges a refresh token for new tokens. Throws a {@link ProviderError} with the cause. */
  refresh(refreshToken: string): Promise<ProviderTokens>;
};

type Known = { readonly server: oauth.AuthorizationServer; readonly client: oauth.Client };

/** Creates a client of the provider that the API names. `redirectUri` returns the callback address. */
export function createIdentityProvider(
  api: PlatformClient,
  redirectUri: () => string,
  now: () => number,
): IdentityProvider {
  let known: { found: Promise<Known>; until: number } | null = null;
  const discover = (): Promise<Known> => {
    if (known !== null && now() < known.until) return known.found;
    const found = discoverProvider(api);
    const entry = { found, until: now() + DISCOVERY_MS };
    known = entry;
    found.catch(() => {
      if (known === entry) known = null;
    });
    return found;
  };
  const ask = async <T>(work: (known: Known) => Promise<T>): Promise<T> => {
    const found = await discover();
    return work(found).catch(throwProviderError);
  };
  return {
    begin: (returnTo) => ask((found) => beginSignIn(found, redirectUri(), returnTo)),
    finish: (attempt, callback) =>
      ask((found) => finishSignIn(found, redirectUri(), attempt, callback)),
    prepare: async () => void (await discover()),
    refresh: (refreshToken) => ask((found) => refreshTokens(found, refreshToken)),
  };
}

async function discoverProvider(api: PlatformClient): Promise<Known> {
  const config = await api.call('authConfig', {}).catch((error: unknown) => {
    // An API that names no provider. Any other error says that the API can't be reached now.
    const isRefusal = error instanceof PlatformError && error.code !== null && error.status < 500;
    throw isRefusal ? toProviderError(error) : error;
  });
  return readMetadata(config.issuer, config.client_id).catch(throwProviderError);
}

async function readMetadata(issuer: string, clientId: string): Promise<Known> {
  const url = new URL(issuer);
  const answer = await oauth.discoveryRequest(url, transport(issuer));
  return {
    server: await oauth.processDiscoveryResponse(url, answer),
    client: { client_id: clientId },
  };
}

async function beginSignIn(
  { server, client }: Known,
  redirectUri: string,
  returnTo: string,
): Promise<{ attempt: SignInAttempt; address: string }> {
  const attempt: SignInAttempt = {
    issuer: server.issuer,
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    returnTo,
  };
  if (server.authorization_endpoint === undefined) {
    throw new ProviderError('The identity provider has no sign-in page.');
  }
  const address = new URL(server.authorization_endpoint);
  const lasting = server.scopes_supported?.includes('offline_access') === true;
  const parameters: Record<string, string> = {
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: `openid profile email${lasting ? ' offline_access' : ''}`,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
    state: attempt.state,
    nonce: attempt.nonce,
    // OpenID Connect Core, section 11: a refresh token is issued only if consent is requested.
    ...(lasting ? { prompt: 'consent' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return { attempt, address: address.href };
}

async function finishSignIn(
  { server, client }: Known,
  redirectUri: string,
  attempt: SignInAttempt,
  callback: URL,
): Promise<ProviderTokens> {
  if (attempt.issuer !== server.issuer) {
    throw new ProviderError('The identity provider has changed since this sign-in was started.');
  }
  const parameters = oauth.validateAuthResponse(server, client, callback, attempt.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    attempt.verifier,
    transport(server.issuer),
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: attempt.nonce,
    requireIdToken: true,
  });
  return readTokens(tokens, null);
}

async function refreshTokens(
  { server, client }: Known,
  refreshToken: string,
): Promise<ProviderTokens> {
  const answer = await oauth.refreshTokenGrantRequest(
    server,
    client,
    oauth.None(),
    refreshToken,
    transport(server.issuer),
  );
  return readTokens(await oauth.processRefreshTokenResponse(server, client, answer), refreshToken);
}

function readTokens(tokens: oauth.TokenEndpointResponse, before: string | null): ProviderTokens {
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (tokens.id_token === undefined || claims === undefined) {
    throw new ProviderError('The identity provider returned no ID token.');
  }
  return {
    idToken: tokens.id_token,
    refreshToken: tokens.refresh_token ?? before,
    expiresAt: claims.exp * 1000,
  };
}

/** Options of requests to the provider. Plain http is allowed only on this machine, because a network could read the tokens. */
function transport(issuer: string): {
  signal: AbortSignal;
  [oauth.allowInsecureRequests]?: boolean;
} {
  const { protocol, hostname } = new URL(issuer);
  const local = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(protocol === 'http:' && local ? { [oauth.allowInsecureRequests]: true } : {}),
  };
}

function throwProviderError(error: unknown): never {
  throw toProviderError(error);
}

function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const reason =
    error instanceof oauth.AuthorizationResponseError
      ? error.error === 'access_denied'
        ? 'The sign-in was canceled.'
        : `The identity provider rejected the sign-in: ${error.error}.`
      : 'The identity provider can’t be reached or its response is invalid.';
  return new ProviderError(reason, { cause: error });
}
