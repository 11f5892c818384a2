// The files that the operator can use as the store's key, and those that are rejected.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readClientKey } from './client-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-key-'));
after(() => rmSync(folder, { recursive: true }));

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed25519 = generateKeyPairSync('ed25519');

const pemOf = (key: KeyObject, type: 'pkcs8' | 'spki' = 'pkcs8'): string =>
  String(key.export({ format: 'pem', type }));
const jwkOf = (key: KeyObject, more: object = {}): string =>
  JSON.stringify({ ...key.export({ format: 'jwk' }), ...more });

const FILE = join(folder, 'key');

function read(text: string) {
  writeFileSync(FILE, text);
  return readClientKey('SVC_OIDC_CLIENT_KEY_FILE', FILE);
}

test('readClientKey reads PEM and JWK, with the key id and the algorithm of a JWK', async () => {
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
  const rows: [text: string, name: string, kid: string | undefined, alg: string | null][] = [
    [pemOf(rsa.privateKey), 'RSASSA-PKCS1-v1_5', undefined, null],
    [pemOf(p256.privateKey), 'ECDSA', undefined, null],
    [pemOf(p384), 'ECDSA', undefined, null],
    [pemOf(p521), 'ECDSA', undefined, null],
    [pemOf(ed25519.privateKey), 'Ed25519', undefined, null],
    [`\n${jwkOf(rsa.privateKey, { kid: 'k1', alg: 'PS256' })}`, 'RSA-PSS', 'k1', 'PS256'],
    [jwkOf(p256.privateKey, { kid: 'k2' }), 'ECDSA', 'k2', null],
    [jwkOf(ed25519.privateKey, { alg: 'EdDSA' }), 'Ed25519', undefined, 'EdDSA'],
  ];
  for (const [text, name, kid, alg] of rows) {
    const found = await read(text);
    assert.deepEqual([found.key.algorithm.name, found.kid, found.alg], [name, kid, alg]);
    assert.deepEqual([found.key.extractable, found.key.usages], [false, ['sign']]);
  }
});

test('readClientKey reads a JWK with each algorithm of its kind', async () => {
  const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;
  const rows: [KeyObject, readonly (readonly [alg: string, hash: string | undefined])[]][] = [
    [
      rsa.privateKey,
      [
        ...[['RS256', 'SHA-256'] as const, ['RS384', 'SHA-384'] as const],
        ...[['RS512', 'SHA-512'] as const, ['PS256', 'SHA-256'] as const],
        ...[['PS384', 'SHA-384'] as const, ['PS512', 'SHA-512'] as const],
      ],
    ],
    [p256.privateKey, [['ES256', undefined]]],
    [curve('P-384'), [['ES384', undefined]]],
    [curve('P-521'), [['ES512', undefined]]],
    [
      ed25519.privateKey,
      [
        ['Ed25519', undefined],
        ['EdDSA', undefined],
      ],
    ],
  ];
  for (const [key, algorithms] of rows) {
    for (const [alg, hash] of algorithms) {
      const found = await read(jwkOf(key, { alg }));
      const { hash: used } = found.key.algorithm as { hash?: { name: string } };
      assert.deepEqual([found.alg, used?.name], [alg, hash]);
    }
  }
});

test('readClientKey names the setting, the file, the reason and what is wanted, and nothing of the file', async () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const k1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
  const x25519 = generateKeyPairSync('x25519').privateKey;
  const locked = p256.privateKey.export({
    ...({ format: 'pem', type: 'pkcs8' } as const),
    ...{ cipher: 'aes-256-cbc', passphrase: 'x' },
  });
  const rows: [text: string, reason: RegExp][] = [
    [pemOf(rsa.publicKey, 'spki'), /it contains a public key/],
    [jwkOf(p256.publicKey), /it contains a public key/],
    [pemOf(short), /its RSA key has only 1024 bits/],
    [pemOf(k1), /its kind is not supported/],
    [pemOf(x25519), /its kind is not supported/],
    [String(locked), /its key has a passphrase/],
    [jwkOf(p256.privateKey, { alg: 'RS256' }), /its key is not one for the algorithm RS256/],
    [jwkOf(p256.privateKey, { alg: 'HS256' }), /its algorithm \("alg"\) is not supported/],
    ['{"kty":"oct","k":"c2VjcmV0"}', /it contains no private key/],
    ['{"kty":', /it is not valid JSON/],
    ['c2VjcmV0', /it contains no private key/],
    ['', /it contains no private key/],
  ];
  for (const [text, reason] of rows) {
    await assert.rejects(read(text), ({ message }: Error) => {
      assert.match(message, reason);
      const begin = `Cannot use the file "${FILE}" of SVC_OIDC_CLIENT_KEY_FILE: it`;
      assert.ok(message.startsWith(begin), message);
      assert.match(message, /\. It must contain one private key .* P-521 or Ed25519$/);
      assert.doesNotMatch(message, /c2VjcmV0|kty/);
      return true;
    });
  }
  await assert.rejects(readClientKey('SVC_OIDC_2_CLIENT_KEY_FILE', join(folder, 'none')), {
    message: /none" of SVC_OIDC_2_CLIENT_KEY_FILE: it can’t be read: ENOENT\. It must/,
  });
});
