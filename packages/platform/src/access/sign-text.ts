// Signatures in addresses, so that nobody can make up an address that the server has not given out.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** All processes on one database have the same key. */
export type Signer = { readonly signingKey: Buffer };

/** The bytes of a signature that should be short. It has 128 bits. */
export const SHORT_BYTES = 16;
const WHOLE_BYTES = 32;

/** Returns the beginning of the HMAC-SHA256 of a text, as base64url. A text begins with what it is for, such as `media`. */
export function signText(
  { signingKey }: Signer,
  text: string,
  bytes: number = WHOLE_BYTES,
): string {
  const whole = createHmac('sha256', signingKey).update(text).digest();
  return whole.subarray(0, bytes).toString('base64url');
}

/** Whether the signature is that of the text with this number of bytes. Takes the same time for every wrong one. */
export function isSigned(
  signer: Signer,
  text: string,
  signature: string,
  bytes: number = WHOLE_BYTES,
): boolean {
  const given = Buffer.from(signature);
  const expected = Buffer.from(signText(signer, text, bytes));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
