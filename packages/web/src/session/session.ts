// The session of a signed-in user, as it is stored in the cookie.

export type Session = {
  readonly uid: string;
  /** The user's name at sign-in or after the last edit of the profile. */
  readonly name: string;
  readonly idToken: string;
  readonly refreshToken: string | null;
  /** When the ID token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
};

/** Validates the content of the cookie. Returns null if it is not a session. */
export function parseSession(value: unknown): Session | null {
  if (typeof value !== 'object' || value === null) return null;
  const field = (name: string): unknown => Reflect.get(value, name);
  const [uid, name, idToken, refreshToken, expiresAt] = [
    field('uid'),
    field('name'),
    field('idToken'),
    field('refreshToken'),
    field('expiresAt'),
  ];
  if (typeof uid !== 'string' || typeof name !== 'string' || typeof idToken !== 'string')
    return null;
  if (refreshToken !== null && typeof refreshToken !== 'string') return null;
  if (typeof expiresAt !== 'number') return null;
  return { uid, name, idToken, refreshToken, expiresAt };
}
