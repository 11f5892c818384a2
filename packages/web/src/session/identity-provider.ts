// The identity provider that the API names: found by discovery, asked for codes and tokens (OpenID Connect, PKCE).
import { createPlatformClient } from '@svc/contracts/platform';
import * as oauth from 'oauth4webapi';
import type { SignInAttempt } from './sign-in-attempt.ts';

const DISCOVERY_MS = 10 * 60_000;
const PATIENCE_MS = 10_000;

/** Tokens as the provider gave them; `expiresAt` in milliseconds since 1970. */
export type ProviderTokens = {
  readonly idToken: string;
  readonly refreshToken: string | null;
  readonly expiresAt: number;
};

/** The provider can't be reached or does not do as OpenID Connect says. The message is for people. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
}

export type IdentityProvider = {
  /** A new attempt, and the address to send the browser to. */
  begin(returnTo: string): Promise<{ attempt: SignInAttempt; address: string }>;
  /** The tokens for the parameters that the browser brought back. Throws a {@link ProviderFailure}. */
  finish(attempt: SignInAttempt, callback: URL): Promise<ProviderTokens>;
  /** New tokens for a refresh token. Throws a {@link ProviderFailure}. */
  refresh(refreshToken: string): Promise<ProviderTokens>;
};

type Known = { readonly server: oauth.AuthorizationServer; readonly client: oauth.Client };

/** Speaks with the provider of the API at `apiUrl`; browsers come back to the redirect address. */
export function createIdentityProvider(
  apiUrl: string,
  redirectUri: () => string,
  now: () => number,
): IdentityProvider {
  let known: { found: Promise<Known>; until: number } | null = null;
  const discover = (): Promise<Known> => {
    if (known !== null && now() < known.until) return known.found;
    const found = discoverProvider(apiUrl);
    const entry = { found, until: now() + DISCOVERY_MS };
    known = entry;
    found.catch(() => {
      if (known === entry) known = null;
    });
    return found;
  };
  const ask = <T>(work: (known: Known) => Promise<T>): Promise<T> =>
    discover()
      .then(work)
      .catch((error: unknown) => {
        throw asFailure(error);
      });
  return {
    begin: (returnTo) => ask((found) => beginSignIn(found, redirectUri(), returnTo)),
    finish: (attempt, callback) =>
      ask((found) => finishSignIn(found, redirectUri(), attempt, callback)),
    refresh: (refreshToken) => ask((found) => refreshTokens(found, refreshToken)),
  };
}

async function discoverProvider(apiUrl: string): Promise<Known> {
  const api = createPlatformClient({
    baseUrl: apiUrl,
    send: (address, init) => fetch(address, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) }),
  });
  const { issuer, client_id } = await api.call('authConfig', {});
  const url = new URL(issuer);
  const answer = await oauth.discoveryRequest(url, transport(issuer));
  return { server: await oauth.processDiscoveryResponse(url, answer), client: { client_id } };
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
    throw new ProviderFailure('The identity provider has no sign-in page.');
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
    // OpenID Connect Core 11: a refresh token is given only where consent is asked for.
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
    throw new ProviderFailure('The identity provider has changed meanwhile.');
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
    throw new ProviderFailure('The identity provider gave no ID token.');
  }
  return {
    idToken: tokens.id_token,
    refreshToken: tokens.refresh_token ?? before,
    expiresAt: claims.exp * 1000,
  };
}

/** Plain http only to this machine: everywhere else a token could be read on its way. */
function transport(issuer: string): {
  signal: AbortSignal;
  [oauth.allowInsecureRequests]?: boolean;
} {
  const { protocol, hostname } = new URL(issuer);
  const local = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return {
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(protocol === 'http:' && local ? { [oauth.allowInsecureRequests]: true } : {}),
  };
}

function asFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const reason =
    error instanceof oauth.AuthorizationResponseError
      ? error.error === 'access_denied'
        ? 'You did not agree to sign in.'
        : `The identity provider refused: ${error.error}.`
      : 'The identity provider can’t be reached or gave an answer that is not valid.';
  return new ProviderFailure(reason, { cause: error });
}
