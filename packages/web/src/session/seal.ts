// Encrypts values with the operator's secrets (JWE, A256GCM).
import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';

/** The operator's secrets, at least one. The first one encrypts, and each of them decrypts. */
export type Secrets = readonly [string, ...string[]];

/** Derives the keys for one purpose. Keys of different purposes or with a different salt are unrelated. */
export function deriveKeys(secrets: Secrets, salt: string, purpose: string): Uint8Array[] {
  return secrets.map(
    (secret) => new Uint8Array(hkdfSync('sha256', Buffer.from(secret), salt, purpose, 32)),
  );
}

/** Encrypts a value with the first key. It can be decrypted with the same name, for `seconds`. */
export function sealValue(
  [key]: readonly Uint8Array[],
  name: string,
  value: object,
  seconds: number,
): Promise<string> {
  if (key === undefined) throw new Error('Cannot encrypt without a key');
  return new EncryptJWT({ value })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setAudience(name)
    .setExpirationTime(`${seconds} s`)
    .encrypt(key);
}

/** The value; null if it is forged, incomplete, expired, has another name, or was encrypted with an unknown key. */
export async function openValue(
  keys: readonly Uint8Array[],
  name: string,
  text: string,
): Promise<unknown> {
  for (const key of keys) {
    try {
      const { payload } = await jwtDecrypt(text, key, {
        audience: name,
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return payload['value'];
    } catch {
      // It may have been encrypted with another key.
    }
  }
  return null;
}
