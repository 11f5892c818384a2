// The files of a build for a preview: unpacked from the ZIP once, and compressed when they are first requested.
import { Readable } from 'node:stream';
import {
  type Build,
  type BuildFile,
  type BuildLimits,
  type BuildSink,
  extractEntries,
  hasContentHash,
  readArchive,
} from '@svc/game-build';
import { type Coding, compressor, isCompressed, largestUseful } from '../game/compress.ts';
import { makeRepresentations, type Representations } from '../game/representations.ts';
import { readChunks } from '../http/read-chunks.ts';
import type { FileSource } from '../http/send-representation.ts';
import type { Extent, Spool } from './spool.ts';

/** The files of a build. */
export type PreviewFiles = {
  readonly build: Build;
  /** Opens contents by the keys of the forms. */
  readonly source: FileSource;
  /** Returns the forms of the file at the path as after a publish; null if there is no such file. */
  find(path: string): Promise<Representations | null>;
};

type Unpacking = {
  readonly limits: Partial<BuildLimits>;
  /** As the owner's setting of a published game. */
  readonly profiling: boolean;
  readonly signal?: AbortSignal;
};

/** Unpacks a ZIP into the spool. Throws a `BuildError` if the build is rejected, or the signal's reason. */
export async function unpackFiles(
  zipPath: string,
  spool: Spool,
  { limits, profiling, signal }: Unpacking,
): Promise<PreviewFiles> {
  await using archive = await readArchive(zipPath, limits);
  const files = new Map<string, BuildFile>();
  const extents = new Map<string, Extent>();
  const sink: BuildSink = ({ bytes }) => {
    const extent = spool.reserve(bytes);
    let written = 0;
    return {
      async write(chunk) {
        await spool.write(chunk, extent.start + written);
        written += chunk.length;
      },
      finish(file) {
        files.set(file.path, file);
        extents.set(file.sha256, extent);
      },
      abort: () => {},
    };
  };
  const build = await extractEntries(archive, sink, signal === undefined ? {} : { signal });
  const source: FileSource = {
    async open(key) {
      const extent = extents.get(key);
      if (extent === undefined) throw new Error(`Cannot find the content "${key}"`);
      return spool.open(extent);
    },
  };

  /** Returns the size of a compressed form; null if there is none. */
  const compress = async ({ sha256, bytes }: BuildFile, coding: Coding): Promise<number | null> => {
    const content = Readable.from(readChunks(await source.open(sha256), 0, bytes), {
      objectMode: false,
    });
    const stream = compressor(coding);
    content.on('error', (error) => stream.destroy(error));
    const most = largestUseful(bytes);
    const { start } = spool.reserve(most);
    let written = 0;
    for await (const chunk of content.pipe(stream)) {
      if (written + chunk.length > most) return null;
      await spool.write(chunk, start + written);
      written += chunk.length;
    }
    extents.set(keyOf(sha256, coding), { start, bytes: written });
    return written;
  };

  const makeForms = async (file: BuildFile): Promise<Representations> => {
    const [gzip, br] = isCompressed(file)
      ? await Promise.all([compress(file, 'gzip'), compress(file, 'br')])
      : [null, null];
    const { sha256: hash, type, encoding, bytes } = file;
    const inner_bytes = file.inner_bytes ?? bytes;
    const hashed_name = hasContentHash(file.path) ? 1 : 0;
    return makeRepresentations(
      { hash, type, encoding, bytes, inner_bytes, hashed_name, gzip_bytes: gzip, br_bytes: br },
      {
        isolation: build.isolation,
        profiling,
        embedder: null,
        keyOf: (coding) => (coding === undefined ? hash : keyOf(hash, coding)),
      },
    );
  };

  const forms = new Map<string, Promise<Representations>>();
  return {
    build,
    source,
    async find(path) {
      const file = files.get(path);
      if (file === undefined) return null;
      const known = forms.get(path);
      if (known !== undefined) return known;
      const making = makeForms(file);
      forms.set(path, making);
      // A later request tries again, for example when the disk has space again.
      making.catch(() => forms.delete(path));
      return making;
    },
  };
}

function keyOf(hash: string, coding: Coding): string {
  return `${hash}.${coding}`;
}
