// Reads and writes the manifests of releases, and what was found in their files.
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { type BuildFacts, decodeFacts, encodeFacts } from '@svc/game-build';
import { decodeManifest, encodeManifest, type ManifestFile } from '../database/manifest.ts';
import type { Db, Trx } from '../database/schema.ts';

const { BROTLI_PARAM_QUALITY } = zlib.constants;
const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const decompress = promisify<zlib.InputType, Buffer>(zlib.brotliDecompress);
const compress = (text: string): Promise<Buffer> =>
  brotli(Buffer.from(text), { params: { [BROTLI_PARAM_QUALITY]: 5 } });

/** A manifest with its id and the id of its release. */
type StoredManifest = {
  readonly id: string;
  readonly releaseId: string;
  readonly files: readonly ManifestFile[];
};

/** Returns the files of a manifest. None if there is no such manifest: its release was deleted. */
export async function readManifest(
  db: Db | Trx,
  id: string | null,
): Promise<readonly ManifestFile[]> {
  if (id === null) return [];
  const row = await db
    .selectFrom('manifests')
    .select('content')
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? [] : decodeManifest(row.content);
}

/** Returns the files of the game's live release. None if it has none. */
export async function readLiveManifest(
  db: Db | Trx,
  liveReleaseId: string | null,
): Promise<readonly ManifestFile[]> {
  if (liveReleaseId === null) return [];
  const row = await db
    .selectFrom('releases')
    .select('manifest_id')
    .where('id', '=', liveReleaseId)
    .executeTakeFirst();
  return readManifest(db, row?.manifest_id ?? null);
}

/** Yields the manifests of all releases of a project that are not deleted, with their kept files, oldest release first. */
export async function* manifestsOf(db: Db | Trx, gameId: string): AsyncGenerator<StoredManifest> {
  // One query, so that all are of the same moment. They are compressed, and decoded one at a time.
  const rows = await db
    .selectFrom('manifests')
    .innerJoin('releases', 'releases.id', 'manifests.release_id')
    .select(['manifests.id', 'manifests.release_id', 'manifests.content'])
    .where('releases.game_id', '=', gameId)
    .orderBy('releases.id')
    .execute();
  for (const { id, release_id, content } of rows) {
    yield { id, releaseId: release_id, files: await decodeManifest(content) };
  }
}

/** Inserts a manifest of a release. */
export async function insertManifest(
  trx: Trx,
  manifest: {
    readonly id: string;
    readonly releaseId: string;
    readonly facts?: Uint8Array | null;
  },
  files: readonly ManifestFile[],
): Promise<void> {
  const { id, releaseId, facts = null } = manifest;
  const content = await encodeManifest(files);
  await trx.insertInto('manifests').values({ id, release_id: releaseId, content, facts }).execute();
}

/** Returns what was found in the files of a release; null if it is not stored, or if another version has stored it. */
export async function readFacts(
  db: Db | Trx,
  releaseId: string | null,
): Promise<BuildFacts | null> {
  if (releaseId === null) return null;
  const row = await db
    .selectFrom('manifests')
    .innerJoin('releases', 'releases.manifest_id', 'manifests.id')
    .select('manifests.facts')
    .where('releases.id', '=', releaseId)
    .executeTakeFirst();
  return row?.facts ? decodeFacts(String(await decompress(row.facts))) : null;
}

/** Compresses what was found in the files of a build, for its row. Null if it is too much. */
export async function packFacts(facts: BuildFacts): Promise<Uint8Array | null> {
  const text = encodeFacts(facts);
  return text === null ? null : compress(text);
}
