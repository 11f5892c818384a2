// Verifies ID tokens with jose, and with the checks that jose leaves to its caller.
import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { failure } from '../failure.ts';
import { discoverKeysUrl } from './discover-keys.ts';
import { readIssuer, SKEW_SECONDS, verifyJwt } from './verify-jwt.ts';

const SUBJECT_CHARACTERS = 255;

/** The provider whose ID tokens are accepted. */
export type IdentityProvider = {
  readonly issuer: string;
  readonly audience: string;
  /** Address of its keys; null to read it from the discovery document. */
  readonly jwksUrl: string | null;
  /** The issuer under which users of this provider are stored. */
  readonly issuerKey: string;
};

/**
 * The owner of a verified ID token. `email` is null unless the provider has verified it. The claim `picture` is ignored,
 * because it is an address on another host.
 */
export type Identity = {
  readonly issuerKey: string;
  readonly sub: string;
  readonly name: string | null;
  readonly email: string | null;
  /** When the provider issued the ID token, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** The time from which the ID token is rejected, in milliseconds since 1970. */
  readonly endsAt: number;
};

/** Verifies one token. Throws `unauthenticated`, or `identity_unavailable` if the keys are not available. */
export type VerifyIdToken = (token: string) => Promise<Identity>;

/** Creates a verifier for one provider. It caches the keys for ten minutes and requests them again for an unknown key. */
export function createIdTokenVerifier(
  provider: IdentityProvider,
  nowMs: () => number,
): VerifyIdToken {
  let keys: JWTVerifyGetKey | null = null;
  const getKey: JWTVerifyGetKey = async (header, token) => {
    keys ??= createRemoteJWKSet(
      new URL(provider.jwksUrl ?? (await discoverKeysUrl(provider.issuer))),
    );
    return keys(header, token);
  };
  return async (token) => {
    // A token of another issuer causes no request to the provider.
    if (readIssuer(token) !== provider.issuer) throw refusal();
    const payload = await verifyJwt(token, {
      ...{ issuer: provider.issuer, audience: [provider.audience], getKey, nowMs: nowMs() },
      refuse: refusal,
    });
    checkClaims(payload, provider, nowMs() / 1000);
    return readIdentity(payload, provider.issuerKey);
  };
}

function checkClaims(payload: JWTPayload, provider: IdentityProvider, nowSeconds: number): void {
  const { sub, iat, aud, azp } = payload;
  const subjectHolds =
    typeof sub === 'string' &&
    sub.trim() !== '' &&
    sub.length <= SUBJECT_CHARACTERS &&
    !sub.includes('\0');
  const isFromFuture = typeof iat !== 'number' || iat > nowSeconds + SKEW_SECONDS;
  const isForSeveral = Array.isArray(aud) && aud.length > 1;
  const partyHolds = azp === undefined ? !isForSeveral : azp === provider.audience;
  if (!subjectHolds || isFromFuture || !partyHolds) throw refusal();
}

function readIdentity(payload: JWTPayload, issuerKey: string): Identity {
  const text = (value: unknown): string | null =>
    typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  return {
    issuerKey,
    sub: String(payload.sub),
    name: text(payload['name']),
    email: payload['email_verified'] === true ? text(payload['email']) : null,
    issuedAt: Number(payload.iat) * 1000,
    endsAt: (Number(payload.exp) + SKEW_SECONDS) * 1000,
  };
}

function refusal(): Error {
  return failure('unauthenticated', 'The ID token is not valid on this server');
}
