// Which requests for files of games count as a play, and which as a missing file.
import type { Exchange } from '@svc/delivery';
import type { PlayAddress } from './read-address.ts';

/** Browsers ask for it by themselves. */
const ICON = 'favicon.ico';

/** Whether a navigation is a play: not only a look at the headers, and not a page that is loaded in advance. */
export function isPlay({ request: { method, headers } }: Exchange): boolean {
  return method === 'GET' && headers['sec-purpose'] === undefined;
}

/** Whether a page shows the game in a frame. */
export function isFramed({ request }: Exchange): boolean {
  return request.headers['sec-fetch-dest'] === 'iframe';
}

/** Whether a page of the game has asked for the file. Other requests for files that do not exist come from anywhere. */
export function isAskedByGame(
  { request }: Exchange,
  { from, path }: Extract<PlayAddress, { kind: 'file' }>,
): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  const isOwn = site === 'same-origin' && mode !== 'navigate';
  return isOwn && from.kind !== 'preview' && path !== ICON;
}
