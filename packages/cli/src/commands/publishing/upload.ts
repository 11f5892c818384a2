// The multipart body of a publish, streamed from disk with progress.
import { randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Progress } from '../../output/progress.ts';

export type UploadForm = { readonly type: string; readonly bytes: ReadableStream<Uint8Array> };

export type UploadFields = { readonly version: string; readonly notes: string | null };

export type Upload = {
  readonly zipPath: string;
  readonly fields: UploadFields;
  readonly signal: AbortSignal;
  /** `update` is called with the bytes of the ZIP sent so far, `end` after the last. */
  readonly progress: Pick<Progress, 'update' | 'end'>;
};

const CHUNK_BYTES = 256 * 1024;

/**
 * The multipart body of a publish: `version`, `notes`, then the ZIP, which is read while it is sent. Each attempt needs a new
 * one.
 */
export function uploadForm(upload: Upload): UploadForm {
  const boundary = `svc-${randomBytes(18).toString('hex')}`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: ReadableStream.from(readForm(upload, boundary)),
  };
}

async function* readForm(
  { zipPath, fields, signal, progress }: Upload,
  boundary: string,
): AsyncGenerator<Uint8Array> {
  const { version, notes } = fields;
  yield Buffer.from(textPart(boundary, 'version', version));
  if (notes !== null) yield Buffer.from(textPart(boundary, 'notes', notes));
  const name = basename(zipPath).replaceAll(/[^A-Za-z0-9._-]/g, '_');
  yield Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="build"; filename="${name}"\r\ncontent-type: application/zip\r\n\r\n`,
  );
  let bytes = 0;
  for await (const chunk of createReadStream(zipPath, { highWaterMark: CHUNK_BYTES, signal })) {
    yield chunk;
    bytes += chunk.length;
    progress.update(bytes);
  }
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
  progress.end();
}

function textPart(boundary: string, name: string, text: string): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
}

/** The size of the ZIP in bytes. */
export function uploadBytes(zipPath: string): number {
  return statSync(zipPath).size;
}
