// Verifies the signature, the issuer, the audience and the times of a JWT with jose.
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { failure } from '../failure.ts';

/** Accepted signature algorithms. Symmetric ones are excluded: their key would be public. */
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
const ISSUER_CHARACTERS = 255;
/** Tolerated difference between the clocks of the issuer and this server. */
export const SKEW_SECONDS = 60;

type Expected = {
  readonly issuer: string;
  /** The token must have one of them. */
  readonly audience: string[];
  readonly getKey: JWTVerifyGetKey;
  readonly nowMs: number;
  /** Claims that it must have besides the issuer and the audience. Default: `sub`, `iat`, `exp`. */
  readonly requiredClaims?: string[];
  /** How long ago the token may have been issued, at most. Then it may not be issued in the future either. */
  readonly maximumSeconds?: number;
  /** Creates the error for a token that is not valid. */
  readonly refuse: (cause: unknown) => Error;
};

/** Returns the issuer that the token names; null if no key could make it valid. Nothing is verified. */
export function readIssuer(token: string): string | null {
  try {
    const { alg } = decodeProtectedHeader(token);
    // Nothing is verified, so the claim may have any type.
    const iss: unknown = decodeJwt(token).iss;
    const isText =
      typeof iss === 'string' && iss.length <= ISSUER_CHARACTERS && !/[\p{Cc}\p{Cs}]/u.test(iss);
    return isText && ALGORITHMS.includes(String(alg)) ? iss : null;
  } catch {
    return null;
  }
}

/** Returns the claims. Throws the error of `refuse`, or `identity_unavailable` if the keys are not available. */
export async function verifyJwt(
  token: string,
  { issuer, audience, getKey, nowMs, requiredClaims, maximumSeconds, refuse }: Expected,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, getKey, {
      ...{ issuer, audience, algorithms: ALGORITHMS, clockTolerance: SKEW_SECONDS },
      requiredClaims: requiredClaims ?? ['sub', 'iat', 'exp'],
      ...(maximumSeconds !== undefined && { maxTokenAge: maximumSeconds }),
      currentDate: new Date(nowMs),
    });
    return payload;
  } catch (error) {
    if (isAboutToken(error)) throw refuse(error);
    throw failure(
      'identity_unavailable',
      'Cannot verify the token: the keys of the identity provider are not available. Try again later',
    );
  }
}

/** Whether the token caused the error. The provider caused all others. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC'
  );
}
