// The address of a link to play a release. It has the id of the link and a signature, so that it cannot be guessed, and the owner
// can see it again.
import { isSigned, SHORT_BYTES, type Signer, signText } from '../access/sign-text.ts';
import type { Platform } from '../platform.ts';
import { playUrl } from '../projects/game-records.ts';

/** The name of a folder in which no game has files, because the names of its files do not begin with a dot. */
export const PREVIEW_FOLDER = '.preview';

const TOKEN = /^([0-9a-f-]{36})\.([\w-]{22})$/;

/** Returns the address at which the release is played. */
export function previewUrl(
  platform: Signer & Pick<Platform, 'addresses'>,
  slug: string,
  id: string,
): string {
  const signature = signText(platform, textOf(id), SHORT_BYTES);
  return `${playUrl(platform.addresses, slug)}${PREVIEW_FOLDER}/${id}.${signature}/`;
}

/** Returns the id in the token of an address; null if the token is not signed. */
export function readPreviewToken(signer: Signer, token: string): string | null {
  const [, id = '', signature = ''] = TOKEN.exec(token) ?? [];
  return isSigned(signer, textOf(id), signature, SHORT_BYTES) ? id : null;
}

function textOf(id: string): string {
  return `preview ${id}`;
}
