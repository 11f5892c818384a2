// Verifies the logout tokens of the identity providers (OpenID Connect Back-Channel Logout 1.0, section 2.6).
import { errors, type JWTPayload } from 'jose';
import { failure } from '../failure.ts';
import { type KeyedProviders, providerOf } from './identity-provider.ts';
import { isLogoutEvent } from './logout-event.ts';
import { isSubject, isText } from './verify-id-token.ts';
import { SKEW_SECONDS, verifyJwt } from './verify-jwt.ts';

/** An older token is rejected, so that the list of those that were used stays small. Providers send one when the session ends. */
const AGE_SECONDS = 600;

/** Whose sessions have ended: that with the id, else all of the subject. */
export type ProviderLogout = {
  readonly issuerKey: string;
  readonly sid: string | null;
  /** Null only if there is a `sid`. */
  readonly sub: string | null;
  /** Identifies the token among those of the issuer. */
  readonly id: string;
  /** When the provider issued the token, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** The time from which the token is rejected for its age, in milliseconds since 1970. */
  readonly endsAt: number;
};

/** Verifies one token. Throws `invalid_input`, or `identity_unavailable` if the keys are not available. */
export type VerifyLogoutToken = (token: string) => Promise<ProviderLogout>;

/** Creates the verifier of the logout tokens of all providers. A token of another issuer causes no request to a provider. */
export function createLogoutTokenVerifier(
  providers: KeyedProviders,
  nowMs: () => number,
): VerifyLogoutToken {
  return async (token) => {
    const provider = providerOf(providers, token);
    if (provider === null) throw refusal('It names no identity provider of this server');
    const { issuer, getKey, issuerKey } = provider;
    const claims = await verifyJwt(token, {
      ...{ issuer, audience: [...provider.audience], getKey, nowMs: nowMs() },
      // Older providers send no `exp`. The age is limited in any case.
      requiredClaims: ['iat'],
      maximumSeconds: AGE_SECONDS,
      refuse: describeRefusal,
    });
    return readLogout(claims, issuerKey, token);
  };
}

function readLogout(claims: JWTPayload, issuerKey: string, token: string): ProviderLogout {
  const { sub, jti, iat = 0, nonce } = claims;
  const sid = claims['sid'];
  const isNamed = sid !== undefined || sub !== undefined;
  const holds =
    isNamed && (sid === undefined || isText(sid)) && (sub === undefined || isSubject(sub));
  // A nonce makes it an ID token, which must not end sessions.
  if (nonce !== undefined || !isLogoutEvent(claims)) throw refusal('It is a token of another kind');
  if (!holds) throw refusal('It names no subject and no session');
  return {
    issuerKey,
    sid: sid ?? null,
    sub: sub ?? null,
    // The signature may have several forms. The signed text has one.
    id: isText(jti) ? jti : token.slice(0, token.lastIndexOf('.')),
    issuedAt: Math.floor(iat * 1000),
    endsAt: Math.ceil((iat + AGE_SECONDS + SKEW_SECONDS) * 1000),
  };
}

/** The provider may have new keys that this server cannot read yet. It is not the fault of the token, and the provider can send it again. */
function describeRefusal(cause: unknown): Error {
  if (cause instanceof errors.JWKSNoMatchingKey) {
    return failure(
      'identity_unavailable',
      'Cannot verify the logout token: its key is not among those of the identity provider. Try again later',
    );
  }
  if (cause instanceof errors.JWTExpired) return refusal('It is too old');
  const isOther = cause instanceof errors.JWTClaimValidationFailed && cause.claim === 'aud';
  return refusal(
    isOther ? 'Its audience is another client' : 'Its signature or its times are not valid',
  );
}

function refusal(reason: string): Error {
  const message = `The logout token is not valid on this server. ${reason}`;
  return failure('invalid_input', message, { details: [{ path: '/logout_token', message }] });
}
