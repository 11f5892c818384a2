// Verifies ID tokens with jose, and with the checks that jose leaves to its caller.
import type { JWTPayload } from 'jose';
import { failure } from '../failure.ts';
import { type KeyedProvider, type KeyedProviders, providerOf } from './identity-provider.ts';
import { isLogoutEvent } from './logout-event.ts';
import { SKEW_SECONDS, verifyJwt } from './verify-jwt.ts';

const SUBJECT_CHARACTERS = 255;

/**
 * The owner of a verified ID token. `email` is null unless the provider has verified it. The claim `picture` is ignored,
 * because it is an address on another host.
 */
export type Identity = {
  readonly issuerKey: string;
  readonly sub: string;
  /** The id of the session at the provider. Null if the ID token has none. */
  readonly sid: string | null;
  readonly name: string | null;
  readonly email: string | null;
  /** When the provider issued the ID token, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** The time from which the ID token is rejected, in milliseconds since 1970. */
  readonly endsAt: number;
};

/** Verifies one token. Throws `unauthenticated`, or `identity_unavailable` if the keys are not available. */
export type VerifyIdToken = (token: string) => Promise<Identity>;

/** Creates the verifier of the ID tokens of all providers. A token of another issuer causes no request to a provider. */
export function createIdTokenVerifier(
  providers: KeyedProviders,
  nowMs: () => number,
): VerifyIdToken {
  return async (token) => {
    const provider = providerOf(providers, token);
    if (provider === null) throw refusal();
    const { issuer, getKey } = provider;
    const payload = await verifyJwt(token, {
      ...{ issuer, audience: [...provider.audience], getKey, nowMs: nowMs() },
      refuse: refusal,
    });
    checkClaims(payload, provider, nowMs() / 1000);
    return readIdentity(payload, provider.issuerKey);
  };
}

/** Whether a claim is a subject (OpenID Connect Core 1.0, section 2). */
export function isSubject(sub: unknown): sub is string {
  return isText(sub) && sub.length <= SUBJECT_CHARACTERS;
}

/** Whether a claim is a text that is not empty. */
export function isText(claim: unknown): claim is string {
  return typeof claim === 'string' && claim.trim() !== '' && !claim.includes('\0');
}

function checkClaims(payload: JWTPayload, { audience }: KeyedProvider, nowSeconds: number): void {
  const { sub, iat, aud, azp } = payload;
  const isFromFuture = typeof iat !== 'number' || iat > nowSeconds + SKEW_SECONDS;
  const isForSeveral = Array.isArray(aud) && aud.length > 1;
  const partyHolds = azp === undefined ? !isForSeveral : audience.some((one) => one === azp);
  // A logout token has the same issuer, audience and signature.
  if (!isSubject(sub) || isFromFuture || !partyHolds || isLogoutEvent(payload)) throw refusal();
}

function readIdentity(payload: JWTPayload, issuerKey: string): Identity {
  const text = (value: unknown): string | null =>
    typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  return {
    issuerKey,
    sub: String(payload.sub),
    sid: isText(payload['sid']) ? payload['sid'] : null,
    name: text(payload['name']),
    email: payload['email_verified'] === true ? text(payload['email']) : null,
    issuedAt: Math.floor(Number(payload.iat) * 1000),
    endsAt: Math.ceil((Number(payload.exp) + SKEW_SECONDS) * 1000),
  };
}

function refusal(): Error {
  return failure('unauthenticated', 'The ID token is not valid on this server');
}
