// The claim that makes a token a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4).
import type { JWTPayload } from 'jose';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Whether the claims have the event. */
export function isLogoutEvent({ events }: JWTPayload): boolean {
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, EVENT)) return false;
  const event: unknown = Reflect.get(events, EVENT);
  return typeof event === 'object' && event !== null;
}
