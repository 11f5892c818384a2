// Addresses of images and trailers: public for a published game, signed and short-lived for a draft.
import { isSigned, signText } from '../access/sign-text.ts';
import type { GamesTable } from '../database/schema.ts';
import type { Platform } from '../platform.ts';

/** Signed addresses change at this interval, so a browser can reuse its cache. Each is valid for one to two intervals. */
const SPAN_SECONDS = 15 * 60;

/** The key of the signatures, and the clock in milliseconds since 1970. */
export type MediaSigner = Pick<Platform, 'signingKey' | 'now'>;

/** Returns the absolute address of a media file of one game. */
export type MediaAddress = (file: string) => string;

/**
 * Returns the function that makes the game's media addresses. The owner of a draft gets signed addresses. All others get
 * public ones, which work only while the game is published.
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

/** Returns whether the query, without its `?`, is a valid signature of this file that has not expired. */
export function isSignedMedia(
  signer: MediaSigner,
  gameId: string,
  file: string,
  query: string,
): boolean {
  const [, until = '', key = ''] = /^until=(\d{1,12})&key=([\w-]{43})$/.exec(query) ?? [];
  if (until === '' || Number(until) * 1000 <= signer.now()) return false;
  return isSigned(signer, textOf(gameId, file, until), key);
}

function signMedia(signer: MediaSigner, gameId: string, file: string): string {
  const span = Math.floor(signer.now() / 1000 / SPAN_SECONDS);
  const until = String((span + 2) * SPAN_SECONDS);
  return `until=${until}&key=${signText(signer, textOf(gameId, file, until))}`;
}

function textOf(gameId: string, file: string, until: string): string {
  return `media ${gameId}/${file} ${until}`;
}
