// The address of a link to play a release. It has the id of the link and a signature, so that it cannot be guessed, and the owner
// can see it again although the database does not have it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Platform } from '../platform.ts';
import { playUrl } from '../projects/game-records.ts';

/** The name of a folder in which no game has files, because the names of its files do not begin with a dot. */
export const PREVIEW_FOLDER = '.preview';

/** 128 bits. */
const SIGNATURE_BYTES = 16;
const TOKEN = /^([0-9a-f-]{36})\.([\w-]{22})$/;

type Signer = Pick<Platform, 'signingKey'>;

/** Returns the address at which the release is played. */
export function previewUrl(
  platform: Signer & Pick<Platform, 'addresses'>,
  slug: string,
  id: string,
): string {
  return `${playUrl(platform.addresses, slug)}${PREVIEW_FOLDER}/${id}.${signatureOf(platform, id)}/`;
}

/** Returns the id in the token of an address; null if the token is not signed. */
export function readPreviewToken(signer: Signer, token: string): string | null {
  const [, id = '', signature = ''] = TOKEN.exec(token) ?? [];
  if (id === '') return null;
  const expected = Buffer.from(signatureOf(signer, id));
  return timingSafeEqual(Buffer.from(signature), expected) ? id : null;
}

function signatureOf({ signingKey }: Signer, id: string): string {
  const whole = createHmac('sha256', signingKey).update(`preview ${id}`).digest();
  return whole.subarray(0, SIGNATURE_BYTES).toString('base64url');
}
