// Compares the addresses of identity providers, and reads them from ID tokens.
import { decodeJwt } from 'jose';

/** Whether both are the address of one provider. Only the spelling of an address may differ, such as a port that is the default. */
export function isSameIssuer(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other)
    ? new URL(one).href === new URL(other).href
    : one === other;
}

/** The provider that issued an ID token; null if the text is not an ID token. The signature is not checked. */
export function issuerOf(idToken: string): string | null {
  try {
    return decodeJwt(idToken).iss ?? null;
  } catch {
    return null;
  }
}
