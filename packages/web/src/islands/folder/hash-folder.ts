// Reads all files of a folder once: their hashes for the list of the upload, and secrets in small files.
import { type Refusal, refuse, SECRET_TEXT_BYTES, secretTextFinding } from '@svc/game-build/folder';
import type { FolderFile } from './chosen-folder.ts';
import { findSubtle, hashFile } from './hash.ts';
import { inLanes } from './in-lanes.ts';
import { type FolderPlan, SECRET_HINT } from './plan-folder.ts';

/** A file with its SHA-256 as 64 hex digits. */
export type HashedFile = FolderFile & { readonly sha256: string };

/** Hides the time that the browser takes to open a small file. */
const FILES_AT_ONCE = 4;

/**
 * Returns the files in the order of the plan. `onShare` is called with the share of the bytes that were read, 0 to 1. Throws a
 * `BuildError` for files with secrets, a `FileChangedError`, and the reason of the signal.
 */
export async function hashFolder(
  { files, total_bytes }: FolderPlan,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<HashedFile[]> {
  const subtle = findSubtle();
  const hashes = new Map<FolderFile, string>();
  const findings: Refusal[] = [];
  let read = 0;
  await inLanes(files, FILES_AT_ONCE, signal, async (file, ended) => {
    const onBytes = (bytes: Uint8Array): void => {
      read += bytes.length;
      onShare(read / Math.max(1, total_bytes));
      if (file.bytes > SECRET_TEXT_BYTES) return;
      const text = new TextDecoder('latin1').decode(bytes);
      findings.push(...secretTextFinding(file.path, text, SECRET_HINT));
    };
    hashes.set(file, await hashFile(file, subtle, onBytes, ended));
  });
  refuse(findings);
  return files.map((file) => ({ ...file, sha256: hashes.get(file) ?? '' }));
}
