// What an upload in parts consists of: the list of files, and the contents that are sent, one after another.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { ListedFile } from '@svc/game-build';

/** A file of the list. Its hash is always known. */
export type UploadedFile = ListedFile & { readonly sha256: string };

/** A content that is sent. */
export type SentContent = { readonly sha256: string; readonly bytes: number };

export type UploadPlan = {
  readonly files: readonly UploadedFile[];
  /** In the order in which they follow each other. */
  readonly missing: readonly SentContent[];
};

/** How contents are divided into parts. */
export type PartSizes = { readonly bytes: number; readonly part_bytes: number };

const FORMAT = 1;
const compress = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const decompress = promisify<zlib.InputType, Buffer>(zlib.brotliDecompress);
const { BROTLI_PARAM_QUALITY } = zlib.constants;

/** Returns a hash of the list, whatever the order of its files. */
export function digestList(files: readonly UploadedFile[]): string {
  const lines = files.map(({ path, bytes, sha256 }) => `${sha256} ${bytes} ${path}\0`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** Returns the size of all contents that are sent. */
export function bytesToSend({ missing }: Pick<UploadPlan, 'missing'>): number {
  return missing.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function countParts({ bytes, part_bytes }: PartSizes): number {
  return Math.ceil(bytes / part_bytes);
}

/** Returns the size of a part. Only the last one is shorter. */
export function bytesOfPart({ bytes, part_bytes }: PartSizes, part: number): number {
  return Math.min(part_bytes, bytes - part * part_bytes);
}

/** Returns where each content begins among those that are sent. */
export function placeContents({ missing }: UploadPlan): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  let offset = 0;
  for (const { sha256, bytes } of missing) {
    offsets.set(sha256, offset);
    offset += bytes;
  }
  return offsets;
}

/** Encodes a plan for its row. */
export async function encodePlan(plan: UploadPlan): Promise<Uint8Array> {
  const files = plan.files.map(({ path, bytes, sha256 }) => [path, bytes, sha256]);
  const missing = plan.missing.map(({ sha256, bytes }) => [sha256, bytes]);
  const text = JSON.stringify({ format: FORMAT, files, missing });
  return compress(Buffer.from(text), { params: { [BROTLI_PARAM_QUALITY]: 4 } });
}

/** Decodes a plan from its row. Throws if a newer version has written it. */
export async function decodePlan(content: Uint8Array): Promise<UploadPlan> {
  const stored: Stored = JSON.parse(String(await decompress(content)));
  if (stored.format !== FORMAT) {
    throw new Error(`Cannot read an upload of format ${stored.format}: update this server`);
  }
  return {
    files: stored.files.map(([path, bytes, sha256]) => ({ path, bytes, sha256 })),
    missing: stored.missing.map(([sha256, bytes]) => ({ sha256, bytes })),
  };
}

type Stored = {
  readonly format: number;
  readonly files: readonly (readonly [path: string, bytes: number, sha256: string])[];
  readonly missing: readonly (readonly [sha256: string, bytes: number])[];
};
