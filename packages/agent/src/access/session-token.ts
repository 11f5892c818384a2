// The session token: 256 random bits, new at each start, compared in constant time.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new token; base64url, so that it is a legal WebSocket subprotocol and needs no escaping in a fragment. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A check for one token whose time does not depend on what it is given. */
export function tokenCheck(token: string): (given: string) => boolean {
  const wanted = digest(token);
  return (given) => timingSafeEqual(digest(given), wanted);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
