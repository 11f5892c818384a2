// Reads a folder as the platform would read its ZIP, without packing it.
import { relative } from 'node:path';
import type { BuildDescription } from '@svc/game-build';
import { type BuildRequest, packOptions, refusal } from './prepare-build.ts';

/** A file of the build, as the platform gets it. */
type UploadedFile = { readonly path: string; readonly bytes: number; readonly sha256: string };

/** A folder that may be published. */
export type FolderBuild = {
  readonly kind: 'folder';
  /** The path relative to the working directory, for messages. */
  readonly shownPath: string;
  readonly build: BuildDescription;
  /** Paths left out by ignore rules. */
  readonly ignored: readonly string[];
  /** All files, with the names that they would have in a ZIP. */
  readonly files: readonly UploadedFile[];
  /** Fills the buffer with the bytes of a content from a position. Throws an ExitError if its file has changed since it was hashed. */
  readonly read: (sha256: string, offset: number, buffer: Buffer) => Promise<void>;
};

/** Reads, checks and hashes a folder by the rules of the platform. Throws an ExitError (7 or 8) with all findings. */
export async function readFolderBuild(folder: string, request: BuildRequest): Promise<FolderBuild> {
  const { BuildError, planPack, readFolder, readPlannedRange } = await import('@svc/game-build');
  const { cwd, signal, onProgress } = request;
  const shownPath = relative(cwd, folder) || '.';
  const explain = (error: unknown): unknown =>
    error instanceof BuildError ? refusal(shownPath, error) : error;
  try {
    const plan = await planPack(folder, packOptions(request));
    const { total_bytes } = plan;
    const build = await readFolder(plan, {
      signal,
      // The platform searches them.
      searchTexts: false,
      onProgress: ({ bytes }) => onProgress?.({ bytes, total_bytes }),
    });
    const found = new Map(plan.files.map((file) => [file.path, file]));
    const sources = new Map(
      build.files.map(({ path, sha256 }) => [sha256, found.get(plan.root + path)]),
    );
    return {
      kind: 'folder',
      shownPath,
      build,
      ignored: plan.ignored,
      files: build.files.map(({ path, bytes, sha256 }) => ({
        path: plan.root + path,
        bytes,
        sha256,
      })),
      async read(sha256, offset, buffer) {
        const source = sources.get(sha256);
        if (source === undefined) throw new Error(`The build has no file with the hash ${sha256}`);
        try {
          await readPlannedRange(source, offset, buffer);
        } catch (error) {
          throw explain(error);
        }
      },
    };
  } catch (error) {
    throw explain(error);
  }
}
