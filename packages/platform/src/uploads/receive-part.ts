// Receives one part of an upload: verifies its digest and its size, and stores it.
import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { formatNumber, quoted } from '@svc/contracts/faults';
import type { FastifyRequest } from 'fastify';
import type { GamesTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { Platform } from '../platform.ts';
import { findUploadSizes, hasEnded, keepUpload, keyOfPart, uploadGone } from './find-upload.ts';
import { bytesOfPart, countParts } from './upload-plan.ts';

const FILE_MODE = 0o600;
/** An output buffer that is longer than the output ends the decoding in one step. zlib requires 64 bytes. */
const SLACK_BYTES = 64;
const DIGEST = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:$|,|;)/i;

type Decode = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number; readonly chunkSize: number },
) => Promise<Buffer>;
const DECODERS: Readonly<Record<string, Decode>> = {
  identity: async (bytes) => bytes,
  gzip: promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  zstd: promisify<zlib.InputType, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
};

/** Stores the body of the request as a part. A part that is stored already stays as it is. */
export async function receivePart(
  platform: Platform,
  game: GamesTable,
  params: { readonly upload: string; readonly part: string },
  request: FastifyRequest,
): Promise<void> {
  const upload = await findUploadSizes(platform.db, game.id, params.upload);
  const part = /^(?:0|[1-9]\d{0,8})$/.test(params.part) ? Number(params.part) : Number.NaN;
  if (!(part < countParts(upload))) {
    throw failure(
      'not_found',
      `Cannot find this part. The upload has ${formatNumber(countParts(upload))} parts, numbered from 0`,
    );
  }
  const { body } = request;
  const sent = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  checkDigest(request.headers['content-digest'], sent);
  const bytes = await decode(request.headers['content-encoding'], sent, bytesOfPart(upload, part));
  await using folder = await platform.spool.openFolder();
  const file = folder.newFile();
  await writeFile(file, bytes, { flag: 'wx', mode: FILE_MODE });
  const key = keyOfPart(upload, part);
  try {
    await storePart(platform, key, file, bytes.length);
    await keepUpload(platform, upload.id);
  } catch (error) {
    if (!(await hasEnded(platform, upload.id))) throw error;
    // This process may have been stopped for so long that the upkeep does not look again.
    await platform.files.remove([key]);
    throw uploadGone();
  }
}

/** Stores a part, also in place of one that was cut short when the power failed. */
async function storePart(
  { files }: Platform,
  key: string,
  file: string,
  bytes: number,
): Promise<void> {
  if (await files.stage(key, file)) return;
  const stored = await files.open(key);
  await stored.close();
  if (stored.bytes === bytes) return;
  await files.remove([key]);
  await files.stage(key, file);
}

function checkDigest(header: string | string[] | undefined, sent: Buffer): void {
  const declared = DIGEST.exec(String(header ?? ''))?.[1];
  if (declared === undefined) {
    throw failure(
      'invalid_input',
      'The header Content-Digest is missing or invalid. Send sha-256=:…:, with the SHA-256 of the body in Base64',
      { details: [{ path: 'content-digest', message: 'sha-256=:…: is required' }] },
    );
  }
  if (declared === hash('sha256', sent, 'base64')) return;
  throw failure(
    'digest_mismatch',
    'The part was damaged on the way: its bytes do not have the declared digest. Send it again',
  );
}

async function decode(header: string | undefined, sent: Buffer, expected: number): Promise<Buffer> {
  const coding = header?.trim().toLowerCase() || 'identity';
  const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
  if (decoder === undefined) {
    const known = Object.keys(DECODERS).join(', ');
    throw failure(
      'unsupported_media_type',
      `The content encoding${quoted(coding)} is not supported. Allowed: ${known}`,
    );
  }
  // With one output buffer, zlib neither collects its output in small pieces nor joins them.
  const chunkSize = expected + SLACK_BYTES;
  const bytes = await decoder(sent, { maxOutputLength: Math.max(1, expected), chunkSize }).catch(
    () => null,
  );
  if (bytes?.length === expected) return bytes;
  const found = bytes === null ? 'cannot be decoded to that' : `has ${formatNumber(bytes.length)}`;
  throw failure('invalid_input', `The part must have ${formatNumber(expected)} bytes; it ${found}`);
}
