// Publishes a build in parts, as a client would.
import { createHash } from 'node:crypto';
import type { PlatformClient, PublishAnswer, Upload } from '@svc/contracts/platform';
import type { Files } from './make-zip.ts';

export const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

/** The list of a build's files. */
export function listFiles(files: Files) {
  return Object.entries(files).map(([path, data]) => ({
    path,
    bytes: Buffer.byteLength(data),
    sha256: sha256(data),
  }));
}

/** Opens or continues the upload of these files. */
export async function openUpload(
  client: PlatformClient,
  id: string,
  files: Files,
  version?: string,
): Promise<Upload> {
  const body = { files: listFiles(files), ...(version === undefined ? {} : { version }) };
  return (await client.call('openUpload', { params: { id }, body })).upload;
}

/** The contents that an upload sends, one after another. */
export function contentsOf({ missing }: Upload, files: Files): Buffer {
  const byHash = new Map(Object.values(files).map((data) => [sha256(data), Buffer.from(data)]));
  return Buffer.concat(missing.map((hash) => byHash.get(hash) ?? Buffer.alloc(0)));
}

export const digestOf = (bytes: Buffer): string =>
  `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

/** Sends one part. */
export async function sendPart(
  client: PlatformClient,
  id: string,
  upload: Upload,
  part: number,
  bytes: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await client.open('uploadPart', {
    params: { id, upload: upload.id, part: String(part) },
    bytes: new Uint8Array(bytes),
    headers: {
      'content-type': 'application/octet-stream',
      'content-digest': digestOf(bytes),
      ...headers,
    },
  });
}

/** The bytes of a part. */
export function partOf({ part_bytes }: Upload, contents: Buffer, part: number): Buffer {
  return contents.subarray(part * part_bytes, (part + 1) * part_bytes);
}

/** Sends all parts that are not stored yet. Calls `onSent` for each that was acknowledged. */
export async function sendParts(
  client: PlatformClient,
  id: string,
  upload: Upload,
  files: Files,
  onSent: (part: number) => void = () => {},
): Promise<void> {
  const contents = contentsOf(upload, files);
  for (let part = 0; part < upload.part_count; part++) {
    if (upload.received.includes(part)) continue;
    await sendPart(client, id, upload, part, partOf(upload, contents, part));
    onSent(part);
  }
}

/** Publishes files as a version of the project. */
export async function publishParts(
  client: PlatformClient,
  id: string,
  version: string,
  files: Files,
): Promise<PublishAnswer> {
  const upload = await openUpload(client, id, files, version);
  await sendParts(client, id, upload, files);
  const params = { id, upload: upload.id };
  return await client.call('publishUpload', { params, body: { version } });
}
