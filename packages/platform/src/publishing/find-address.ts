// Finds out from the files of a build whether it ties saves to its address.
import type { EmbedAddress } from '@svc/contracts/platform';

/**
 * Loaders of Unity, which names its folder of saves after a hash of the page's address without the file name, and films of Flash,
 * whose saves are found by the address of the film.
 */
const BOUND = /(?:^|\/)(?:UnityLoader\.js|[^/]+\.loader\.js|[^/]+\.swf)$/;

/** Returns the address at which the store shows the build, so that saves remain with the next release. */
export function findAddress(files: readonly { readonly path: string }[]): EmbedAddress {
  return files.some(({ path }) => BOUND.test(path)) ? 'game' : 'release';
}
