// Addresses of images and trailers: open while their game is published; for a draft, signed for its owner and soon over.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { GamesTable } from '../database/schema.ts';
import type { Platform } from '../platform.ts';

/** Signed addresses change this often, so that a browser can reuse what it has; each is valid for one to two such spans. */
const SPAN_SECONDS = 15 * 60;

/** What a signature needs: the key, and the clock in milliseconds since 1970. */
export type MediaSigner = Pick<Platform, 'signingKey' | 'now'>;

/** Makes the absolute address of a media file of one game. */
export type MediaAddress = (file: string) => string;

/**
 * How media of the game are addressed in an answer. `owner` gets signed addresses while the game is a draft; everybody
 * else gets the open ones, which answer only while it is published.
 */
export function mediaAddress(
  platform: MediaSigner & Pick<Platform, 'addresses'>,
  game: Pick<GamesTable, 'id' | 'status'>,
  viewer: 'owner' | 'public',
): MediaAddress {
  const base = `${platform.addresses.publicUrl}/media/${game.id}`;
  if (viewer === 'public' || game.status === 'published') return (file) => `${base}/${file}`;
  return (file) => `${base}/${file}?${signMedia(platform, game.id, file)}`;
}

/** Whether the query, without its `?`, is a signature of this file that is still valid. */
export function isSignedMedia(
  signer: MediaSigner,
  gameId: string,
  file: string,
  query: string,
): boolean {
  const [, until = '', key = ''] = /^until=(\d{1,12})&key=([\w-]{43})$/.exec(query) ?? [];
  if (until === '' || Number(until) * 1000 <= signer.now()) return false;
  return timingSafeEqual(Buffer.from(key), Buffer.from(signatureOf(signer, gameId, file, until)));
}

function signMedia(signer: MediaSigner, gameId: string, file: string): string {
  const span = Math.floor(signer.now() / 1000 / SPAN_SECONDS);
  const until = String((span + 2) * SPAN_SECONDS);
  return `until=${until}&key=${signatureOf(signer, gameId, file, until)}`;
}

function signatureOf(
  { signingKey }: MediaSigner,
  gameId: string,
  file: string,
  until: string,
): string {
  return createHmac('sha256', signingKey)
    .update(`media ${gameId}/${file} ${until}`)
    .digest('base64url');
}
