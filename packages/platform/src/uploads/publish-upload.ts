// Publishes what was uploaded in parts, as a ZIP with the same files would be published.
import type { PublishFields } from '@svc/contracts/platform';
import {
  type BuildSink,
  type ExtractedBuild,
  judgeListing,
  type ListedEntry,
  type ReadBuild,
  readFiles,
  readSource,
  sizeZip,
} from '@svc/game-build';
import { ApiError } from '@svc/serve';
import type { Caller } from '../access/caller.ts';
import { newId } from '../database/new-id.ts';
import type { GamesTable, UploadsTable } from '../database/schema.ts';
import { contentKey } from '../files/keys.ts';
import type { Platform } from '../platform.ts';
import { checkGameNotTakenDown } from '../projects/game-status.ts';
import type { Staging } from '../publishing/commit-release.ts';
import { buildLimits, type JudgedRelease, judgeBuild } from '../publishing/judge-build.ts';
import { type Published, publishInAttempt } from '../publishing/publish-release.ts';
import { checkVersion } from '../publishing/read-upload.ts';
import { zippedFile } from '../publishing/release-zip.ts';
import {
  type ContentFinder,
  checkQuota,
  contentFinder,
  storeRelease,
} from '../publishing/store-release.ts';
import type { Content } from '../storage/contents.ts';
import { readFacts } from '../storage/manifests.ts';
import { findUpload, keepUpload, receivedParts, uploadGone } from './find-upload.ts';
import { contentLost, incomplete, partSource, storedSource } from './part-source.ts';
import { countParts, decodePlan, placeContents, type UploadPlan } from './upload-plan.ts';

/** The caller's publish of an upload. */
type UploadPublish = {
  readonly caller: Caller;
  readonly game: GamesTable;
  /** The id of the upload. */
  readonly upload: string;
  readonly fields: PublishFields;
  /** Null for a release that goes live. */
  readonly staging: Staging | null;
  readonly signal: AbortSignal;
};

/** Publishes the upload and ends it. Throws `upload_incomplete`, `version_exists`, and the errors of a publish. */
export async function publishUpload(
  platform: Platform,
  { caller, game, upload, fields, staging, signal }: UploadPublish,
): Promise<Published> {
  const opened = await openParts(platform, game, upload, fields.version);
  const published = publishInAttempt(
    platform,
    { game, staging, sent: 'parts', signal },
    (attempt, folder) =>
      storeRelease(
        platform,
        {
          ...{ caller, game, fields, staging, isZipStored: false, freedBytes: opened.upload.bytes },
          async read({ sink, find, keeper, signal }) {
            const { build, facts } = await readUpload(platform, game, opened, {
              sink,
              find,
              signal,
            });
            if (!(await keeper.addKnown(build.files))) throw contentLost();
            return withZipSize(platform, { build, facts }, (hash) => keeper.contents.get(hash));
          },
          async alsoCommit(trx) {
            const { numDeletedRows } = await trx
              .deleteFrom('uploads')
              .where('id', '=', upload)
              .executeTakeFirst();
            if (numDeletedRows !== 1n) throw uploadGone();
          },
        },
        { attempt, folder, signal },
      ),
  );
  return await published.catch(async (error: unknown) => {
    // A stored part is damaged. It must be sent again, with a new upload.
    if (isDamaged(error)) {
      await platform.db.deleteFrom('uploads').where('id', '=', upload).execute();
    }
    throw error;
  });
}

function isDamaged(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'zip_crc_mismatch';
}

/** Judges the upload as a publish would, and stores nothing. */
export async function dryRunUpload(
  platform: Platform,
  { game, upload, fields, staging, signal }: UploadPublish,
): Promise<JudgedRelease> {
  if (staging === null) checkGameNotTakenDown(game);
  const opened = await openParts(platform, game, upload, fields.version);
  const find = await contentFinder(platform, game.id);
  const judged = await judgeBuild(platform, game, {
    ...{
      fields,
      releaseId: newId(),
      isZipStored: false,
      isStaged: staging !== null,
      provenance: null,
    },
    async read() {
      const { build, facts } = await readUpload(platform, game, opened, {
        sink: null,
        find,
        signal,
      });
      const sent = placeContents(opened.plan);
      for (const { sha256 } of build.files) {
        if (!sent.has(sha256) && (await find(sha256)) === null) throw contentLost();
      }
      return { build: { ...build, zip_bytes: 0 }, facts };
    },
  });
  await checkQuota(platform, judged, 0);
  return judged;
}

type OpenedUpload = { readonly upload: UploadsTable; readonly plan: UploadPlan };

/** Reads the upload. Throws `upload_incomplete` unless all parts are stored. */
async function openParts(
  platform: Platform,
  game: GamesTable,
  id: string,
  version: string,
): Promise<OpenedUpload> {
  await checkVersion(platform, game, version);
  const upload = await findUpload(platform.db, game.id, id);
  // It must not expire while it is published.
  await keepUpload(platform, id);
  const received = new Set(await receivedParts(platform, upload));
  const parts = Array.from({ length: countParts(upload) }, (_, part) => part);
  const missing = parts.filter((part) => !received.has(part));
  if (missing.length > 0) throw incomplete(missing);
  return { upload, plan: await decodePlan(upload.listing) };
}

type Tools = {
  readonly sink: BuildSink | null;
  readonly find: ContentFinder;
  readonly signal: AbortSignal;
};

/** Reads the files of the build: the sent ones from the parts, and the others only if their description may have changed. */
async function readUpload(
  { db, files, limits }: Platform,
  game: GamesTable,
  { upload, plan }: OpenedUpload,
  { sink, find, signal }: Tools,
) {
  const offsets = placeContents(plan);
  const parts = partSource(files, upload);
  const sourceOf = async ({ sha256 }: ListedEntry) => {
    const hash = sha256 ?? '';
    const offset = offsets.get(hash);
    if (offset !== undefined) return { source: parts, offset };
    const known = await find(hash);
    if (known === null) throw contentLost();
    return { source: storedSource(files, contentKey(game.id, known)), offset: 0 };
  };
  return await readFiles(
    {
      listing: judgeListing(plan.files, buildLimits(limits)),
      async read(entry, buffers, onChunk) {
        if (entry.dropped) return;
        const { source, offset } = await sourceOf(entry);
        await readSource(source, { offset, bytes: entry.bytes }, buffers, onChunk);
      },
      sink,
      before: await readFacts(db, game.live_release_id),
    },
    { signal },
  );
}

/** Adds the size of the ZIP that is made when the build is downloaded. Throws a `BuildError` if it is too large. */
function withZipSize(
  { limits }: Platform,
  { build, facts }: ReadBuild,
  contentOf: (hash: string) => Content | undefined,
): ExtractedBuild {
  const zipped = build.files.map(({ path, bytes, sha256 }) =>
    zippedFile({ path, bytes, gzip_bytes: contentOf(sha256)?.gzip_bytes ?? null }),
  );
  const zip_bytes = sizeZip(zipped, limits.build_zip_bytes);
  return { build: { ...build, zip_bytes }, facts };
}
