// Decides whether an ID token is a true one: by jose, and by the checks that jose leaves to its caller.
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { failure } from '../failure.ts';
import { discoverKeysUrl } from './discover-keys.ts';

/** Signature algorithms that are taken. No symmetric one: its key would be the public one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const SKEW_SECONDS = 60;
const SUBJECT_CHARACTERS = 255;

/** The provider whose ID tokens are taken. */
export type IdentityProvider = {
  readonly issuer: string;
  readonly audience: string;
  /** Where its keys are; null to ask its discovery document. */
  readonly jwksUrl: string | null;
  /** What users of this provider are kept under. */
  readonly issuerKey: string;
};

/**
 * What a verified ID token says of its owner. `email` is null unless the provider vouches for it. The claim `picture` is not
 * used: it is an address on another host.
 */
export type Identity = {
  readonly issuerKey: string;
  readonly sub: string;
  readonly name: string | null;
  readonly email: string | null;
  /** When the ID token is no longer taken, in milliseconds since 1970. */
  readonly endsAt: number;
};

/** Verifies one token. Throws `unauthenticated`, or `identity_unavailable` where the keys can't be had. */
export type VerifyIdToken = (token: string) => Promise<Identity>;

/** A verifier for one provider, which keeps its keys for ten minutes and asks again for a key that it does not know. */
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
    refuseAtSight(token, provider);
    const payload = await verifySignature(token, provider, getKey, nowMs());
    checkClaims(payload, provider, nowMs() / 1000);
    return readIdentity(payload, provider.issuerKey);
  };
}

/** Refuses what no key could make valid, so that garbage costs the provider no request. */
function refuseAtSight(token: string, provider: IdentityProvider): void {
  try {
    const { alg } = decodeProtectedHeader(token);
    if (decodeJwt(token).iss === provider.issuer && ALGORITHMS.includes(String(alg))) return;
  } catch {
    // Not a token at all: refused below like one of another issuer.
  }
  throw refusal();
}

async function verifySignature(
  token: string,
  provider: IdentityProvider,
  getKey: JWTVerifyGetKey,
  nowMs: number,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, getKey, {
      issuer: provider.issuer,
      audience: provider.audience,
      algorithms: ALGORITHMS,
      clockTolerance: SKEW_SECONDS,
      requiredClaims: ['sub', 'iat', 'exp'],
      currentDate: new Date(nowMs),
    });
    return payload;
  } catch (error) {
    if (isAboutToken(error)) throw refusal();
    throw failure(
      'identity_unavailable',
      "Cannot verify the ID token: the provider's keys can't be had",
    );
  }
}

/** Whether the error is the token's fault; all others are the provider's. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC'
  );
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
    endsAt: (Number(payload.exp) + SKEW_SECONDS) * 1000,
  };
}

function refusal(): Error {
  return failure('unauthenticated', 'Cannot accept the ID token: it is not valid here');
}
