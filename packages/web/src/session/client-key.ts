// Reads the private key with which the store authenticates at an identity provider (private_key_jwt).
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { codeOf } from '@svc/contracts/caught';

/** The algorithms of the key (RFC 7518, 3.1; RFC 9864, 2.2), in the names of Web Crypto. */
const ALGORITHMS = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  RS512: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  PS384: { name: 'RSA-PSS', hash: 'SHA-384' },
  PS512: { name: 'RSA-PSS', hash: 'SHA-512' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521' },
  Ed25519: { name: 'Ed25519' },
  EdDSA: { name: 'Ed25519' },
} as const;
type Algorithm = keyof typeof ALGORITHMS;

/** The algorithms of each curve, by its name in Node. */
const CURVES: Readonly<Record<string, readonly Algorithm[]>> = {
  prime256v1: ['ES256'],
  secp384r1: ['ES384'],
  secp521r1: ['ES512'],
};
const RSA: readonly Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const RSA_BITS = 2048;

const WANTED =
  'It must contain one private key without a passphrase, as PKCS#8 in PEM or as a JWK in JSON: RSA with 2,048 bits or more, P-256, P-384, P-521 or Ed25519';

/** A private key that signs. */
export type ClientKey = {
  readonly key: CryptoKey;
  /** The id under which the provider knows it. Undefined for a key in PEM. */
  readonly kid: string | undefined;
  /** The algorithm that the JWK names; null if it names none. */
  readonly alg: Algorithm | null;
};

/**
 * Reads the key from a file. Throws an error that names the setting and the file if it can't be read, is no private key, or is too
 * weak.
 */
export async function readClientKey(setting: string, file: string): Promise<ClientKey> {
  try {
    return await parseKey(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof KeyFault ? error.message : `it can’t be read: ${codeOf(error)}`;
    throw new Error(`Cannot use the file "${file}" of ${setting}: ${reason}. ${WANTED}`);
  }
}

class KeyFault extends Error {
  override readonly name = 'KeyFault';
}

async function parseKey(text: string): Promise<ClientKey> {
  const jwk = text.trimStart().startsWith('{') ? parseJwk(text) : null;
  const key = importKey(jwk ?? text);
  const possible = algorithmsOf(key);
  const alg = jwk === null ? null : algorithmIn(jwk);
  const used = alg ?? possible[0];
  if (used === undefined || !possible.includes(used)) {
    throw new KeyFault(
      alg === null ? 'its kind is not supported' : `its key is not one for the algorithm ${alg}`,
    );
  }
  const kid = jwk === null ? undefined : textIn(jwk, 'kid');
  // The types of Node list more usages than those of browsers.
  const signing: unknown = key.toCryptoKey(ALGORITHMS[used], false, ['sign']);
  if (!(signing instanceof CryptoKey)) throw new KeyFault('its kind is not supported');
  return { key: signing, kid, alg };
}

function parseJwk(text: string): object {
  try {
    const jwk: unknown = JSON.parse(text);
    if (typeof jwk === 'object' && jwk !== null) return jwk;
  } catch {
    // The error would contain a part of the key.
  }
  throw new KeyFault('it is not valid JSON');
}

function importKey(material: object | string): KeyObject {
  try {
    return typeof material === 'string'
      ? createPrivateKey(material)
      : createPrivateKey({ key: { ...material }, format: 'jwk' });
  } catch {
    if (isPublic(material)) throw new KeyFault('it contains a public key');
    if (typeof material === 'string' && material.includes('ENCRYPTED')) {
      throw new KeyFault('its key has a passphrase');
    }
    throw new KeyFault('it contains no private key');
  }
}

function isPublic(material: object | string): boolean {
  try {
    if (typeof material === 'string') createPublicKey(material);
    else createPublicKey({ key: { ...material }, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

/** The algorithms that the key can be used with, the preferred one first. Empty for an unknown kind. */
function algorithmsOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): readonly Algorithm[] {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'ed25519') return ['Ed25519', 'EdDSA'];
  if (asymmetricKeyType === 'ec') return CURVES[namedCurve] ?? [];
  if (asymmetricKeyType !== 'rsa') return [];
  if (modulusLength < RSA_BITS) throw new KeyFault(`its RSA key has only ${modulusLength} bits`);
  return RSA;
}

function algorithmIn(jwk: object): Algorithm | null {
  const alg = textIn(jwk, 'alg');
  if (alg === undefined) return null;
  if (!isAlgorithm(alg)) throw new KeyFault('its algorithm ("alg") is not supported');
  return alg;
}

function isAlgorithm(alg: string): alg is Algorithm {
  return Object.hasOwn(ALGORITHMS, alg);
}

function textIn(jwk: object, name: string): string | undefined {
  const value: unknown = Reflect.get(jwk, name);
  return typeof value === 'string' ? value : undefined;
}
