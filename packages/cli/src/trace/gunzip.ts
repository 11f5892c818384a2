// The gzip decompressor of Node, for `expandGzip`.
import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { DamagedGzip, type Gunzip } from '@svc/trace';

/** Decompresses as the caller reads. Data that was cut off is not an error, because a torn file is read as far as it goes. */
export const gunzip: Gunzip = async function* (input) {
  const stream = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  // Errors of the input destroy the stream, which then throws them.
  pipeline(input, stream, () => undefined);
  try {
    yield* stream;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw code.startsWith('Z_') ? new DamagedGzip((error as Error).message) : error;
  }
};
