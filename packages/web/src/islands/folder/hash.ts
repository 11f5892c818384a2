// SHA-256 in a browser: by the browser's own code in a secure context, and by a library in others and for large files.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { FolderFile } from './chosen-folder.ts';
import { readBytes } from './read-file.ts';

/** Larger files are hashed in pieces, so that they are not in memory as a whole. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** A piece takes the library a few milliseconds, so the page stays responsive. */
const PIECE_BYTES = 512 * 1024;

/** The browser's hash function; null outside of a secure context, where it is missing. */
export type Subtle = Pick<SubtleCrypto, 'digest'> | null;

export function findSubtle(): Subtle {
  const { subtle } = globalThis.crypto as { readonly subtle?: SubtleCrypto };
  return subtle ?? null;
}

/** The hash of bytes that are in memory. */
export async function hashBytes(
  bytes: Uint8Array<ArrayBuffer>,
  subtle: Subtle,
): Promise<Uint8Array> {
  if (subtle === null) return sha256(bytes);
  return new Uint8Array(await subtle.digest('SHA-256', bytes));
}

/**
 * The hash of a file as 64 hex digits. `onBytes` is called with the bytes of each piece that was read. Throws a
 * `FileChangedError`, and the reason of the signal.
 */
export async function hashFile(
  file: FolderFile,
  subtle: Subtle,
  onBytes: (bytes: Uint8Array) => void,
  signal: AbortSignal,
): Promise<string> {
  if (file.bytes <= (subtle === null ? PIECE_BYTES : WHOLE_BYTES)) {
    const bytes = await readBytes(file);
    onBytes(bytes);
    return bytesToHex(await hashBytes(bytes, subtle));
  }
  const hash = sha256.create();
  for (let at = 0; at < file.bytes; at += PIECE_BYTES) {
    signal.throwIfAborted();
    const piece = await readBytes(file, at, Math.min(file.bytes, at + PIECE_BYTES));
    hash.update(piece);
    onBytes(piece);
  }
  return bytesToHex(hash.digest());
}
