// The name of a content in its address. It is signed, so that nobody can make the server search all releases for made-up names.
import { isSigned, SHORT_BYTES, type Signer, signText } from '../access/sign-text.ts';

const KEY = /^([0-9a-f]{64})\.([\w-]{22})$/;

/** A content of a game and its path in a release. */
type NamedContent = { readonly gameId: string; readonly path: string; readonly hash: string };

/** Returns the name: the SHA-256 of the content and a signature. */
export function contentKeyOf(signer: Signer, content: NamedContent): string {
  return `${content.hash}.${signText(signer, textOf(content), SHORT_BYTES)}`;
}

/** Returns the hash of the content; null if the name is not signed for this path. */
export function readContentKey(
  signer: Signer,
  { gameId, path, key }: Omit<NamedContent, 'hash'> & { readonly key: string },
): string | null {
  const [, hash = '', signature = ''] = KEY.exec(key) ?? [];
  return isSigned(signer, textOf({ gameId, path, hash }), signature, SHORT_BYTES) ? hash : null;
}

function textOf({ gameId, path, hash }: NamedContent): string {
  return `content ${gameId} ${hash} ${path}`;
}
