// The session token: 256 random bits, created at each start and compared in constant time.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Creates a token. It is base64url, so it is a legal WebSocket subprotocol and needs no escaping in
 * a URL fragment.
 */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns a check for one token. Its running time does not depend on the text that it is given. */
export function tokenCheck(token: string): (given: string) => boolean {
  const wanted = digest(token);
  return (given) => timingSafeEqual(digest(given), wanted);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
