// The name of a content in its address. It is signed, so that nobody can make the server search all releases for made-up names.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Platform } from '../platform.ts';

/** 128 bits. */
const SIGNATURE_BYTES = 16;
const KEY = /^([0-9a-f]{64})\.([\w-]{22})$/;

/** A content of a game and its path in a release. */
type NamedContent = { readonly gameId: string; readonly path: string; readonly hash: string };

type Signer = Pick<Platform, 'signingKey'>;

/** Returns the name: the SHA-256 of the content and a signature. */
export function contentKeyOf(signer: Signer, content: NamedContent): string {
  return `${content.hash}.${signatureOf(signer, content)}`;
}

/** Returns the hash of the content; null if the name is not signed for this path. */
export function readContentKey(
  signer: Signer,
  { gameId, path, key }: Omit<NamedContent, 'hash'> & { readonly key: string },
): string | null {
  const [, hash = '', signature = ''] = KEY.exec(key) ?? [];
  if (hash === '') return null;
  const expected = Buffer.from(signatureOf(signer, { gameId, path, hash }));
  return timingSafeEqual(Buffer.from(signature), expected) ? hash : null;
}

function signatureOf({ signingKey }: Signer, { gameId, path, hash }: NamedContent): string {
  const whole = createHmac('sha256', signingKey).update(`content ${gameId} ${hash} ${path}`);
  return whole.digest().subarray(0, SIGNATURE_BYTES).toString('base64url');
}
