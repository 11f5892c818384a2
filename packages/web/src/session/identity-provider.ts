// Client of one identity provider: OpenID Connect with discovery and PKCE. The functions throw a `ProviderError`.
import * as oauth from 'oauth4webapi';
import { authenticate, type ClientCredential } from './client-credential.ts';
import { isClientRejected } from './judge-failure.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';

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

/** A provider that was found: its metadata, and the store as its client. */
export type FoundProvider = {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly credential: ClientCredential | null;
  /** Whether to request `offline_access` if the provider supports it. */
  readonly asksOffline: boolean;
};

/** Reads the provider's metadata. */
export async function readMetadata(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  const answer = await oauth.discoveryRequest(url, transport(issuer));
  return await oauth.processDiscoveryResponse(url, answer);
}

/** Starts a sign-in. Returns the attempt and the address to redirect the browser to. */
export async function beginSignIn(
  { server, client, asksOffline }: FoundProvider,
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
  const lasting = asksOffline && server.scopes_supported?.includes('offline_access') === true;
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

/** Exchanges the code in the callback address for tokens. */
export async function finishSignIn(
  { server, client, credential }: FoundProvider,
  redirectUri: string,
  attempt: SignInAttempt,
  callback: URL,
): Promise<ProviderTokens> {
  const parameters = oauth.validateAuthResponse(server, client, callback, attempt.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authenticate(credential, server),
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

/** Exchanges a refresh token for new tokens. */
export async function refreshTokens(
  { server, client, credential }: FoundProvider,
  refreshToken: string,
): Promise<ProviderTokens> {
  const answer = await oauth.refreshTokenGrantRequest(
    server,
    client,
    authenticate(credential, server),
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

/** Describes an error for the user. It has the error as its cause. */
export function toProviderError(error: unknown): ProviderError {
  return error instanceof ProviderError
    ? error
    : new ProviderError(describeError(error), { cause: error });
}

function describeError(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError) {
    return error.error === 'access_denied'
      ? 'The sign-in was canceled.'
      : `The identity provider rejected the sign-in: ${error.error}.`;
  }
  return isClientRejected(error)
    ? 'The identity provider does not accept this store. Its operator has to correct the settings.'
    : 'The identity provider can’t be reached or its response is invalid.';
}
