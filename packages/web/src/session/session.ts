// Who is signed in, as the session cookie holds it.

export type Session = {
  readonly uid: string;
  /** The name the API knew at sign-in or at the last edit. */
  readonly name: string;
  readonly idToken: string;
  readonly refreshToken: string | null;
  /** When the ID token ends, in milliseconds since 1970. */
  readonly expiresAt: number;
};

/** What was typed into the cookie, or null where it is not a session. */
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
