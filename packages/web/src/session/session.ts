// The session of a signed-in user, as it is stored in the cookie.

export type Session = {
  readonly uid: string;
  /** The user's name at sign-in or after the last edit of the profile. */
  readonly name: string;
  readonly idToken: string;
  readonly refreshToken: string | null;
  /** When the ID token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** When the user signed in, in milliseconds since 1970. 0 for a session of an older version. */
  readonly signedInAt: number;
  /** False if it is not known yet whether the session had ended before its last renewal. */
  readonly isChecked: boolean;
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
  // Sessions of older versions do not have these.
  const [signedInAt = 0, isChecked = true] = [field('signedInAt'), field('isChecked')];
  if (typeof uid !== 'string' || typeof name !== 'string' || typeof idToken !== 'string')
    return null;
  if (refreshToken !== null && typeof refreshToken !== 'string') return null;
  if (typeof expiresAt !== 'number' || typeof signedInAt !== 'number') return null;
  if (typeof isChecked !== 'boolean') return null;
  return { uid, name, idToken, refreshToken, expiresAt, signedInAt, isChecked };
}
