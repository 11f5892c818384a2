// The form in which secrets are stored.
import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a secret in hex. The secret itself is not stored. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
