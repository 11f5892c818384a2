// Describes a file by its name and its bytes: type, encoding, decoded size and warnings.
import { isUtf8 } from 'node:buffer';
import type { Encoding } from '../build.ts';
import type { Warning } from '../findings.ts';
import { showName } from '../findings.ts';
import { announcedEncoding, InnerDecoder, type InnerLimit, withoutEncoding } from './encoding.ts';
import { type FileLoads, readFileLoads } from './file-loads.ts';
import {
  isCompressible,
  isTextType,
  OCTET_STREAM,
  sniffType,
  typeOfPath,
  withCharset,
} from './media-types.ts';
import type { PathIndex } from './path-index.ts';
import type { TextLanguage } from './references.ts';
import { findSecretName } from './secrets.ts';
import { readTextFacts } from './text-facts.ts';
import { asksForSharedMemory } from './wasm-threads.ts';

/** The properties of a file, in addition to path, size and hash. */
export type FileFacts = {
  readonly type: string;
  readonly encoding: Encoding;
  readonly inner_bytes: number | null;
  readonly compressible: boolean;
  /** Whether it is text, also if it is compressed. */
  readonly isText: boolean;
  readonly threads: boolean;
  readonly foreignHosts: readonly string[];
  /** The files that a page, style or script loads. Null for other files. */
  readonly loads: FileLoads | null;
  readonly warnings: readonly Warning[];
};

/** The state that all files of a build share. */
export type DescribeContext = {
  readonly index: PathIndex;
  readonly innerLimit: InnerLimit;
  /** The files whose text is searched. See {@link chooseTexts}. */
  readonly texts: ReadonlySet<string>;
};

/** The number of bytes kept from the beginning of a file. */
const HEAD_BYTES = 64 * 1024;
const WASM_HEAD_BYTES = 1024 * 1024;
const TEXT_HEAD_BYTES = 4 * 1024 * 1024;

/** The maximum size of all searched text of a build, which bounds the cost of hostile text. */
const TEXT_BYTES = 64 * 1024 * 1024;
/** The assumed compression ratio of precompressed text, whose decoded size is not known in advance. */
const INNER_RATIO = 8;

/**
 * Chooses the files that are searched if they are text, up to a total size. The choice depends only on the order of the files, so
 * that the same build has the same findings on each run.
 */
export function chooseTexts(
  files: Iterable<{ readonly path: string; readonly bytes: number }>,
): Set<string> {
  const chosen = new Set<string>();
  let left = TEXT_BYTES;
  for (const { path, bytes } of files) {
    const name = withoutEncoding(path);
    const likely = isTextType(typeOfPath(name));
    const cost = name === path ? bytes : bytes * INNER_RATIO;
    left -= likely ? Math.min(cost, TEXT_HEAD_BYTES) : 0;
    if (left >= 0) chosen.add(path);
  }
  return chosen;
}

const LANGUAGES: Readonly<Record<string, TextLanguage>> = {
  'text/html': 'html',
  'text/css': 'css',
  'text/javascript': 'js',
};

/** Describes one file. Receives its bytes in order. Throws if the decoded bytes exceed a limit. */
export class FileDescriber {
  readonly #path: string;
  readonly #context: DescribeContext;
  readonly #head: Head;
  #decoder: InnerDecoder | null = null;
  #innerHead: Head | null = null;
  #begun = false;

  /** `bytes` is the size of the file. */
  constructor(path: string, bytes: number, context: DescribeContext) {
    this.#path = path;
    this.#context = context;
    this.#head = new Head(headBytesOf(typeOfPath(path)), bytes);
  }

  /** The chunk must stay valid until this returns. If it is the whole file, it must stay valid until `finish` returns. */
  async push(chunk: Buffer): Promise<void> {
    this.#head.push(chunk);
    if (!this.#begun) this.#begin(chunk);
    if (this.#decoder !== null) await this.#decoder.push(chunk);
  }

  #begin(chunk: Buffer): void {
    this.#begun = true;
    const announced = announcedEncoding(this.#path, chunk);
    if (announced === null) return;
    const innerHead = new Head(headBytesOf(typeOfPath(withoutEncoding(this.#path))), null);
    this.#innerHead = innerHead;
    this.#decoder = new InnerDecoder(announced, this.#path, this.#context.innerLimit, (inner) =>
      innerHead.push(inner),
    );
  }

  /** Frees the decoder of an incomplete file. */
  abort(): void {
    this.#decoder?.abort();
  }

  async finish(): Promise<FileFacts> {
    const inner = this.#decoder === null ? null : await this.#decoder.finish();
    if (inner !== null && this.#innerHead !== null && this.#decoder !== null) {
      const facts = describeBytes(
        this.#path,
        withoutEncoding(this.#path),
        this.#innerHead,
        this.#context,
      );
      return {
        ...facts,
        encoding: this.#decoder.encoding,
        inner_bytes: inner,
        compressible: false,
      };
    }
    const facts = describeBytes(this.#path, this.#path, this.#head, this.#context);
    const broken = this.#decoder !== null || isMisnamed(this.#path, this.#head.bytes());
    if (!broken) return facts;
    const message = `${showName(this.#path)} is named as a compressed file, or begins like one, but cannot be decoded.`;
    const hint = 'It is served as plain bytes. Compress it again, or rename it.';
    const invalid: Warning = {
      code: 'encoding_invalid',
      entry: this.#path,
      rule: 'encoding_invalid',
      message,
      hint,
    };
    return {
      ...facts,
      type: OCTET_STREAM,
      compressible: false,
      warnings: [invalid, ...facts.warnings],
    };
  }
}

/** Whether the name announces an encoding that the bytes do not have: an empty `.br`, or `.gz` without gzip's first bytes. */
function isMisnamed(path: string, bytes: Buffer): boolean {
  if (/\.br$/i.test(path)) return true;
  return /\.t?gz$/i.test(path) && !(bytes[0] === 0x1f && bytes[1] === 0x8b);
}

function headBytesOf(type: string): number {
  if (type === 'application/wasm') return WASM_HEAD_BYTES;
  return isTextType(type) ? TEXT_HEAD_BYTES : HEAD_BYTES;
}

/** `name` is the path that determines the type: the file's path, without the ending of an encoding. */
function describeBytes(
  path: string,
  name: string,
  head: Head,
  context: DescribeContext,
): FileFacts {
  const bytes = head.bytes();
  const named = typeOfPath(name);
  const sniffed = sniffType(bytes);
  const type = decideType(name, named, sniffed);
  const warnings: Warning[] = [...nameWarnings(path)];
  if (named !== OCTET_STREAM && type !== named) warnings.push(mismatch(path, named, type));
  const facts = {
    type: withCharset(type, isTextType(type) && isUtf8Head(head)),
    encoding: null,
    inner_bytes: null,
    compressible: isCompressible(type),
    isText: isTextType(type),
    threads: type === 'application/wasm' && asksForSharedMemory(bytes),
    foreignHosts: [] as readonly string[],
    loads: null,
  };
  if (!isTextType(type) || !context.texts.has(path)) return { ...facts, warnings };
  const content = bytes.toString('utf8');
  const language = LANGUAGES[type] ?? null;
  const text = readTextFacts(path, language, content, context.index);
  return {
    ...facts,
    loads: language === null ? null : readFileLoads(path, language, content, context.index),
    threads: text.threads,
    foreignHosts: text.foreignHosts,
    warnings: [...warnings, ...text.warnings],
  };
}

/** The type by name and bytes. Browsers reject WebAssembly with wrong bytes. For images, the format of the bytes counts. */
function decideType(name: string, named: string, sniffed: string | null): string {
  if (named === 'application/wasm') return sniffed === named ? named : OCTET_STREAM;
  const bothImages = named.startsWith('image/') && sniffed?.startsWith('image/') === true;
  if (bothImages && sniffed !== null && named !== 'image/svg+xml' && named !== 'image/apng') {
    return sniffed;
  }
  if (named === OCTET_STREAM && sniffed === 'application/wasm') return sniffed;
  return named === OCTET_STREAM && /\.(?:framework|loader|asm\.code)$/.test(name)
    ? 'text/javascript'
    : named;
}

function mismatch(path: string, named: string, type: string): Warning {
  const message = `${showName(path)} is named as ${named}, but has other content. It is served as ${type}.`;
  return {
    code: 'type_mismatch',
    entry: path,
    rule: 'type_mismatch',
    message,
    hint: 'Rename the file, or build it again.',
  };
}

function nameWarnings(path: string): Warning[] {
  const warnings: Warning[] = [];
  const secret = findSecretName(path);
  if (secret !== null) {
    const message = `${showName(path)} looks like ${secret}.`;
    const hint = 'Everything in a build is public. Remove the file.';
    warnings.push({ code: 'secret_published', entry: path, rule: 'secret_name', message, hint });
  }
  if (/(?:^|\/)\./.test(path)) {
    const message = `${showName(path)} has a name that begins with a dot and is never served.`;
    warnings.push({
      code: 'file_not_served',
      entry: path,
      rule: 'dot_segment',
      message,
      hint: null,
    });
  }
  if (/\.(?:m?js|css|wasm)\.map$/i.test(path)) {
    const message = `${showName(path)} is a source map, with which players can read your sources.`;
    const hint = 'Remove source maps from the published build, for example with .svcignore.';
    warnings.push({ code: 'source_map_published', entry: path, rule: 'source_map', message, hint });
  }
  return warnings;
}

/** The first bytes of a stream. */
class Head {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #length = 0;
  #cut = false;
  readonly #wholeBytes: number | null;

  /** `wholeBytes` is the size of the stream, or null if it is unknown. */
  constructor(limit: number, wholeBytes: number | null) {
    this.#limit = limit;
    this.#wholeBytes = wholeBytes;
  }

  push(chunk: Buffer): void {
    const room = this.#limit - this.#length;
    if (chunk.length > room) this.#cut = true;
    if (room === 0) return;
    const part = chunk.subarray(0, room);
    // The caller reuses the memory of a chunk that is not the whole stream.
    this.#chunks.push(chunk.length === this.#wholeBytes ? part : Buffer.from(part));
    this.#length += part.length;
  }

  get isCut(): boolean {
    return this.#cut;
  }

  bytes(): Buffer {
    const [only] = this.#chunks;
    if (only !== undefined && this.#chunks.length === 1) return only;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}

/** Whether the head is valid UTF-8, except for a last character that may be cut. */
function isUtf8Head(head: Head): boolean {
  const bytes = head.bytes();
  if (isUtf8(bytes)) return true;
  if (!head.isCut) return false;
  return [1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, bytes.length - cut)));
}
