// Uploads a folder in parts: only the contents that the platform lacks, several parts at once. After a cut, also by another run of
// svc, it goes on with the parts that have not arrived.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { DryRunAnswer, PublishAnswer, Upload } from '@svc/contracts/platform';
import { bytesText } from '@svc/trace/number-text';
import { limitsOfParts } from '../../platform/connect.ts';
import { ExitError } from '../../process/exit-codes.ts';
import type { FolderBuild } from '../../project/read-folder-build.ts';
import type { SendOptions } from './send-options.ts';
import { stagingQuery } from './staging.ts';

const PARTS_AT_ONCE = 4;
/** How often an upload begins again because the platform has ended it. */
const TRIES = 3;
/** A part is sent compressed if that saves a twentieth. */
const WORTH = 0.95;
/** Incompressible bytes become longer by less than this (RFC 8878: three bytes for each block of 128 KiB, and the head). */
const SLACK_BYTES = 1024;

const compress = promisify<zlib.InputType, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);

/** Sends what the platform lacks, and publishes the build. */
export async function publishParts(
  options: SendOptions,
  build: FolderBuild,
): Promise<PublishAnswer> {
  const { platform } = options.session;
  const body = bodyOf(options);
  const query = stagingQuery(options.staging);
  const limits = limitsOfParts(build.build.expanded_bytes);
  return await withUpload(options, build, ({ id, upload }) =>
    platform.call(
      'publishUpload',
      { params: { id, upload }, body, query },
      { repeat: 'safe', limits },
    ),
  );
}

/** Sends what the platform lacks, and asks for its verdict. A publish of the same files sends nothing again. */
export async function tryParts(options: SendOptions, build: FolderBuild): Promise<DryRunAnswer> {
  const { platform } = options.session;
  const body = bodyOf(options);
  const query = stagingQuery(options.staging);
  const limits = limitsOfParts(build.build.expanded_bytes);
  return await withUpload(options, build, ({ id, upload }) =>
    platform.dryRun('publishUpload', () => ({ params: { id, upload }, body, query }), { limits }),
  );
}

function bodyOf({ fields: { version, notes } }: SendOptions) {
  return { version, ...(notes === null ? {} : { notes }) };
}

/** Uploads the build and finishes. Begins again if the upload has ended meanwhile, or if parts of it were lost. */
async function withUpload<Answer>(
  options: SendOptions,
  build: FolderBuild,
  finish: (params: { readonly id: string; readonly upload: string }) => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      const upload = await sendParts(options, build);
      return await finish({ id: options.id, upload: upload.id });
    } catch (error) {
      const isEnded = error instanceof ExitError && ENDED.has(error.code);
      if (!isEnded || attempt === TRIES) throw error;
    }
  }
}

/** The upload has ended, or parts of it were lost or damaged in the store. */
const ENDED: ReadonlySet<string> = new Set(['not_found', 'upload_incomplete', 'zip_crc_mismatch']);

/** Opens or continues the upload, and sends all parts that have not arrived. */
async function sendParts(options: SendOptions, build: FolderBuild): Promise<Upload> {
  const { session, id, fields } = options;
  const body = { files: [...build.files], version: fields.version };
  const { upload } = await session.platform.call(
    'openUpload',
    { params: { id }, body },
    { repeat: 'safe' },
  );
  const parts = planParts(upload, build);
  if (parts.length === 0) return upload;
  const left = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let sent = upload.bytes - left;
  if (sent > 0) {
    options.note(
      `Continuing an upload: ${bytesText(sent)} of ${bytesText(upload.bytes)} are there.`,
    );
  }
  const progress = options.progress(upload.bytes);
  const ended = new AbortController();
  const signal = AbortSignal.any([session.signal, ended.signal]);
  const queue = parts.values();
  const runLane = async (): Promise<void> => {
    const buffer = Buffer.allocUnsafeSlow(upload.part_bytes);
    for (const part of queue) {
      signal.throwIfAborted();
      await sendPart({ session, id, upload }, part, await readPart(build, part, buffer));
      sent += part.bytes;
      progress.update(sent);
    }
  };
  try {
    progress.update(sent);
    const lanes = Array.from({ length: PARTS_AT_ONCE }, () =>
      runLane().catch((error: unknown) => {
        ended.abort(error);
        throw error;
      }),
    );
    for (const lane of await Promise.allSettled(lanes)) {
      if (lane.status === 'rejected') throw ended.signal.reason;
    }
    return upload;
  } finally {
    progress.end();
  }
}

/** The bytes of a content from a position. */
type Piece = { readonly sha256: string; readonly offset: number; readonly bytes: number };

/** A part of an upload, and the contents that it is read from. */
type Part = { readonly number: number; readonly bytes: number; readonly pieces: readonly Piece[] };

/** Returns the parts that have not arrived. */
function planParts(upload: Upload, build: FolderBuild): Part[] {
  const sizes = new Map(build.files.map(({ sha256, bytes }) => [sha256, bytes]));
  const pieces: Piece[][] = Array.from({ length: upload.part_count }, () => []);
  let at = 0;
  for (const sha256 of upload.missing) {
    const size = sizes.get(sha256) ?? 0;
    for (let offset = 0; offset < size; ) {
      const number = Math.floor(at / upload.part_bytes);
      const bytes = Math.min(size - offset, (number + 1) * upload.part_bytes - at);
      pieces[number]?.push({ sha256, offset, bytes });
      offset += bytes;
      at += bytes;
    }
  }
  const received = new Set(upload.received);
  return pieces.flatMap((own, number) => {
    if (received.has(number)) return [];
    return [{ number, bytes: own.reduce((sum, { bytes }) => sum + bytes, 0), pieces: own }];
  });
}

/** Reads a part into the beginning of the buffer. */
async function readPart(build: FolderBuild, part: Part, buffer: Buffer): Promise<Buffer> {
  let at = 0;
  for (const { sha256, offset, bytes } of part.pieces) {
    await build.read(sha256, offset, buffer.subarray(at, at + bytes));
    at += bytes;
  }
  return buffer.subarray(0, at);
}

type Target = Pick<SendOptions, 'session' | 'id'> & { readonly upload: Upload };

async function sendPart(
  { session, id, upload }: Target,
  { number }: Part,
  bytes: Buffer,
): Promise<void> {
  // With one output buffer, zlib neither collects its output in small pieces nor joins them.
  const compressed = await compress(bytes, { chunkSize: bytes.length + SLACK_BYTES });
  const isWorth = compressed.length < bytes.length * WORTH;
  const body = isWorth ? compressed : bytes;
  await session.platform.call(
    'uploadPart',
    {
      params: { id, upload: upload.id, part: String(number) },
      bytes: body,
      headers: {
        'content-type': 'application/octet-stream',
        'content-digest': `sha-256=:${hash('sha256', body, 'base64')}:`,
        ...(isWorth ? { 'content-encoding': 'zstd' } : {}),
      },
    },
    { repeat: 'safe' },
  );
}
