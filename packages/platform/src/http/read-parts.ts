// Reads a multipart body: short texts into memory, files onto the disk, each up to its limit.
import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { formatNumber, quoted } from '@svc/contracts/faults';
import { ApiError } from '@svc/serve';
import type { FastifyRequest } from 'fastify';
import { failure } from '../failure.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { asStorageFailure } from '../files/storage-error.ts';
import { writeStream } from '../files/write-stream.ts';
import { bodyCountOf } from './body-count.ts';

const PARTS = 32;
/** After the error for a slow upload, the client has this time to read it before the connection is closed. */
const LAST_WORDS_MS = 1000;

const INCOMPLETE = 'The body is not complete multipart/form-data';

/**
 * The rule for a part: its kind, its largest size in bytes, how often it may occur, the code if it is too large, and whether
 * the SHA-256 of a file is computed.
 */
export type PartRule = {
  readonly kind: 'text' | 'file';
  readonly bytes: number;
  /** The limit of a text in characters, for the message. */
  readonly characters?: number;
  readonly times: number;
  readonly tooLarge?: 'payload_too_large' | 'image_too_large';
  readonly isHashed?: boolean;
};

/** The parts of a body by name. */
export type Parts = {
  readonly texts: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, readonly SpooledFile[]>;
};

/** A file of an upload: completely written, but not synced yet. `hash` is its SHA-256 in hex if the rule demands it. */
export type SpooledFile = {
  readonly path: string;
  readonly bytes: number;
  readonly hash: string | null;
};

/** How the parts of a body are read. */
type PartReading = {
  /** Where files are written. */
  readonly folder: SpoolFolder;
  readonly rules: Readonly<Record<string, PartRule>>;
  /** The upload fails if no byte arrives for this long. */
  readonly silenceSeconds: number;
  /** Called with each text as soon as it has arrived. May throw to reject the upload. */
  readonly onText?: (name: string, text: string) => Promise<void>;
};

/**
 * Reads all parts of a multipart request. Throws `invalid_input` for a part that is unknown, incomplete or sent too often,
 * `payload_too_large`, `request_timeout`, and `rate_limited` for more bytes than are left.
 */
export async function readParts(
  request: FastifyRequest,
  { folder, rules, silenceSeconds, onText }: PartReading,
): Promise<Parts> {
  // Not a number without the header, which is not larger either.
  const announced = Number(request.headers['content-length']);
  if (announced > request.routeOptions.bodyLimit) {
    const most = formatNumber(request.routeOptions.bodyLimit);
    throw failure('payload_too_large', `The body is too large. Allowed: at most ${most} bytes`);
  }
  // The multipart reader waits forever for a request that was closed before it started.
  if (request.raw.destroyed) throw failure('invalid_input', INCOMPLETE);
  const texts = new Map<string, string>();
  const files = new Map<string, SpooledFile[]>();
  const stopWatch = watchSilence(request, silenceSeconds * 1000);
  const stopCount = countWhileRead(request);
  try {
    for await (const part of request.parts(partLimits(rules))) {
      const rule = findRule(rules, part.fieldname);
      const seen = texts.has(part.fieldname) ? 1 : (files.get(part.fieldname)?.length ?? 0);
      if (seen >= rule.times) {
        const allowed = rule.times === 1 ? 'once' : `${rule.times} times`;
        throw partError(part.fieldname, `is sent too often. Allowed: ${allowed}`);
      }
      if (rule.kind === 'text') {
        const text =
          part.type === 'file'
            ? await readText(part.file, part.fieldname, rule)
            : fieldText(part.value, part.valueTruncated, part.fieldname, rule);
        texts.set(part.fieldname, text);
        await onText?.(part.fieldname, text);
      } else if (part.type === 'file') {
        const file = await spoolFile(part.file, folder.newFile(), part.fieldname, rule);
        files.set(part.fieldname, [...(files.get(part.fieldname) ?? []), file]);
      } else throw partError(part.fieldname, 'is text. Allowed: a file with a file name');
    }
    await bodyCountOf(request)?.end();
  } catch (error) {
    request.raw.unpipe();
    request.raw.resume();
    throw asUploadFailure(error);
  } finally {
    stopWatch();
    stopCount();
  }
  return { texts, files };
}

function partLimits(rules: Readonly<Record<string, PartRule>>) {
  const all = Object.values(rules);
  return {
    throwFileSizeLimit: false,
    limits: {
      fieldNameSize: 100,
      headerPairs: 100,
      parts: PARTS,
      fileSize: Math.max(...all.map((rule) => rule.bytes)) + 1,
      fieldSize:
        Math.max(1, ...all.filter((rule) => rule.kind === 'text').map((rule) => rule.bytes)) + 1,
    },
  };
}

function findRule(rules: Readonly<Record<string, PartRule>>, name: string | undefined): PartRule {
  // The types of the multipart reader claim that there is always a name, but a part may have none.
  const known = Object.keys(rules).join(', ');
  if (name === undefined) {
    throw failure('invalid_input', `A part has no name. Allowed: ${known}`);
  }
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined) throw partError(name, `is unknown. Allowed: ${known}`);
  return rule;
}

function partError(name: string, message: string) {
  const sentence = `The part${quoted(name)} ${message}`;
  return failure('invalid_input', sentence, {
    details: [{ path: name.slice(0, 64), message: sentence }],
  });
}

/** Returns the text of a field. The multipart reader has parsed a field of type application/json, so it is serialized again. */
function fieldText(value: unknown, truncated: boolean, name: string, rule: PartRule): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // The multipart reader has one limit for all fields: the largest.
  if (truncated || Buffer.byteLength(text) > rule.bytes) throw tooLarge(name, rule);
  return text;
}

async function readText(stream: Readable, name: string, rule: PartRule): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > rule.bytes) throw tooLarge(name, rule);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw partError(name, 'is not text in UTF-8');
  }
}

async function spoolFile(
  stream: Readable,
  path: string,
  name: string,
  rule: PartRule,
): Promise<SpooledFile> {
  let bytes = 0;
  const hash = rule.isHashed === true ? createHash('sha256') : null;
  try {
    await writeStream(hash === null ? stream : hashed(stream, hash), path, (soFar) => {
      bytes = soFar;
      if (bytes > rule.bytes) throw tooLarge(name, rule);
    });
    return { path, bytes, hash: hash?.digest('hex') ?? null };
  } catch (error) {
    throw asStorageFailure(error);
  }
}

/** Adds each chunk to the hash before it is written, because its memory is freed then. */
async function* hashed(stream: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    hash.update(chunk);
    yield chunk;
  }
}

function tooLarge(name: string, { bytes, characters, tooLarge: code }: PartRule) {
  const most =
    characters === undefined
      ? `${formatNumber(bytes)} bytes`
      : `${formatNumber(characters)} characters`;
  const message = `The part${quoted(name)} is too large. Allowed: at most ${most}`;
  return failure(code ?? 'payload_too_large', message, { details: [{ path: name, message }] });
}

/** Ends an upload whose client stops sending, so that it does not occupy disk space and a handler. Returns the stop function. */
function watchSilence(request: FastifyRequest, silenceMs: number): () => void {
  const end = (): void => {
    const { raw } = request;
    setTimeout(() => raw.destroy(), LAST_WORDS_MS).unref();
    // The multipart reader listens to this event and fails. The connection stays open for the answer.
    const reason = failure(
      'request_timeout',
      'The upload stopped: nothing arrived for too long. Send it again',
    );
    if (raw.listenerCount('error') > 0) raw.emit('error', reason);
  };
  let timer = setTimeout(end, silenceMs);
  const onData = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, silenceMs);
  };
  request.raw.on('data', onData);
  return () => {
    clearTimeout(timer);
    request.raw.off('data', onData);
  };
}

/** Counts the bytes of the body while they arrive. The upload fails if there are more than are left. Returns the stop function. */
function countWhileRead(request: FastifyRequest): () => void {
  const { raw } = request;
  const count = bodyCountOf(request);
  const onData = (chunk: Buffer): void =>
    count?.add(chunk.length, (error) => {
      // The multipart reader listens to this event and fails.
      if (raw.listenerCount('error') > 0) raw.emit('error', error);
    });
  raw.on('data', onData);
  return () => raw.off('data', onData);
}

/** Converts errors of the multipart reader, which the client's body causes, to errors of the contract. */
function asUploadFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ApiError) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT') {
    return failure('invalid_input', `The form has too many parts. Allowed: at most ${PARTS}`);
  }
  if (code === 'FST_INVALID_JSON_FIELD_ERROR') {
    return failure('invalid_input', 'A part with the type application/json is not valid JSON');
  }
  const isBody =
    code.startsWith('FST_') ||
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    /multipart|end of form|Part terminated|premature|aborted|boundary|header/i.test(error.message);
  return isBody ? failure('invalid_input', INCOMPLETE) : error;
}
