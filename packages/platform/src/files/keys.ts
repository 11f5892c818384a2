// The keys of stored files: PROJECT/PLACE/NAME. A place is written by a single attempt, so a key never means two contents.

/** The places of files that older versions stored, one for each kind of file. */
export const LEGACY_PLACES = { contents: 'files', builds: 'builds', media: 'media' } as const;

const BUILD_NAME = 'build.zip';

/** Returns the folder of all files that one attempt stores. `place` is the id of the attempt. */
export function placeFolder(gameId: string, place: string): string {
  return `${gameId}/${place}`;
}

/** Returns the key of a content of a project, or of its compressed variant. */
export function contentKey(
  gameId: string,
  { place, hash }: { readonly place: string; readonly hash: string },
  variant: '' | 'gzip' | 'br' = '',
): string {
  return `${gameId}/${place}/${hash}${variant === '' ? '' : `.${variant}`}`;
}

/** Returns the key of the uploaded ZIP of a release. Its `place` is null if an older version stored it. */
export function buildKey(
  gameId: string,
  { id, place }: { readonly id: string; readonly place: string | null },
): string {
  return place === null
    ? `${gameId}/${LEGACY_PLACES.builds}/${id}.zip`
    : `${gameId}/${place}/${BUILD_NAME}`;
}

/** Returns the key of an image, of one of its variants, or of a trailer. */
export function mediaKey(gameId: string, place: string | null, file: string): string {
  return `${gameId}/${place ?? LEGACY_PLACES.media}/${file}`;
}

/** Returns the place in a key. */
export function placeOf(key: string): string {
  return key.split('/')[1] ?? '';
}

/** Returns the key of a part of an upload. */
export function partKey(
  gameId: string,
  { place, part }: { readonly place: string; readonly part: number },
): string {
  return `${gameId}/${place}/part-${part}`;
}

/** Returns the number of a part from its key; null for another file. */
export function readPartKey(key: string): number | null {
  const part = /\/part-(0|[1-9]\d{0,8})$/.exec(key)?.[1];
  return part === undefined ? null : Number(part);
}
