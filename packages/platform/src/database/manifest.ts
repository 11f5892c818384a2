// The manifest of a release: all its files, as one compressed value of a row. A manifest is never changed.
import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** The quality at which brotli is as fast as reading the rows of a database. */
const BROTLI_QUALITY = 5;
const FORMAT = 1;

/** One file of a release: how it is delivered, and where its content is stored. Sizes are in bytes. */
export type ManifestFile = {
  readonly path: string;
  /** SHA-256 of the stored content in hex. */
  readonly hash: string;
  /** The place of the content and its variants in the file store. */
  readonly place: string;
  /** The media type. */
  readonly type: string;
  /** The encoding of the content itself: the build contains the file compressed. */
  readonly encoding: 'gzip' | 'br' | null;
  readonly bytes: number;
  /** Size after decoding. Equal to `bytes` if `encoding` is null. */
  readonly inner_bytes: number;
  /** Whether the name contains a hash of the content: 1 or 0. */
  readonly hashed_name: number;
  /** Sizes of the compressed variants in the store; null if there is no such variant. */
  readonly gzip_bytes: number | null;
  readonly br_bytes: number | null;
};

type FileTuple = readonly [
  path: string,
  hash: string,
  place: number,
  type: number,
  encoding: 'gzip' | 'br' | null,
  bytes: number,
  innerBytes: number,
  hashedName: number,
  gzipBytes: number | null,
  brBytes: number | null,
];

/** Places and types repeat, so files refer to them by their index. */
type Stored = {
  readonly format: typeof FORMAT;
  readonly places: readonly string[];
  readonly types: readonly string[];
  readonly files: readonly FileTuple[];
};

const compress = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const decompress = promisify<zlib.InputType, Buffer>(zlib.brotliDecompress);

/** Encodes a manifest for its row. */
export async function encodeManifest(files: readonly ManifestFile[]): Promise<Buffer> {
  const places = indexer();
  const types = indexer();
  const tuples = files.map(
    (file): FileTuple => [
      ...([file.path, file.hash, places.indexOf(file.place), types.indexOf(file.type)] as const),
      ...([file.encoding, file.bytes, file.inner_bytes, file.hashed_name] as const),
      ...([file.gzip_bytes, file.br_bytes] as const),
    ],
  );
  const stored: Stored = {
    format: FORMAT,
    places: places.values,
    types: types.values,
    files: tuples,
  };
  const text = Buffer.from(JSON.stringify(stored));
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
  return compress(text, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: text.length },
  });
}

/** Decodes a manifest from its row. Throws if it is damaged, or if a newer version has written it. */
export async function decodeManifest(content: Uint8Array): Promise<readonly ManifestFile[]> {
  const stored: Stored = JSON.parse(String(await decompress(content)));
  if (stored.format !== FORMAT) {
    throw new Error(`Cannot read a manifest of format ${stored.format}: update this server`);
  }
  const { places, types } = stored;
  return stored.files.map(
    ([
      path,
      hash,
      place,
      type,
      encoding,
      bytes,
      inner_bytes,
      hashed_name,
      gzip_bytes,
      br_bytes,
    ]) => ({
      ...{ path, hash, place: places[place] ?? '', type: types[type] ?? '', encoding, bytes },
      ...{ inner_bytes, hashed_name, gzip_bytes, br_bytes },
    }),
  );
}

/** Gives each distinct value an index, in the order of their first use. */
function indexer(): { readonly values: string[]; indexOf(value: string): number } {
  const values: string[] = [];
  const indexes = new Map<string, number>();
  return {
    values,
    indexOf(value) {
      const known = indexes.get(value);
      if (known !== undefined) return known;
      indexes.set(value, values.length);
      return values.push(value) - 1;
    },
  };
}
