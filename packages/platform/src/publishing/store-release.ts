// Stores the files of a build while it is read, judges it, and commits the release.
import type { PublishFields } from '@svc/contracts/platform';
import type { BuildSink, ExtractedBuild } from '@svc/game-build';
import type { Caller } from '../access/caller.ts';
import type { GamesTable, Trx } from '../database/schema.ts';
import { settleBatch } from '../files/settle-batch.ts';
import type { SpoolFolder } from '../files/spool.ts';
import type { Platform } from '../platform.ts';
import type { Attempt } from '../storage/attempt.ts';
import {
  bytesOfContent,
  type Content,
  checkContents,
  countReleases,
  readContents,
} from '../storage/contents.ts';
import { checkStoredBytes } from '../storage/stored-bytes.ts';
import { askHook } from './ask-hook.ts';
import { commitRelease, manifestOf, type Staging } from './commit-release.ts';
import { type JudgedRelease, judgeBuild } from './judge-build.ts';
import { type ContentKeeper, keepContents } from './keep-contents.ts';
import { inPhase } from './measure-publish.ts';

/** Returns the content of the project with this hash, if it is stored completely. A damaged store may lack one. */
export type ContentFinder = (hash: string) => Promise<Content | null>;

/** Where a build comes from, and what it becomes. */
export type NewRelease = {
  readonly caller: Caller;
  readonly game: GamesTable;
  readonly fields: PublishFields;
  /** Null for a release that goes live. */
  readonly staging: Staging | null;
  /** Whether its ZIP is stored. */
  readonly isZipStored: boolean;
  /** Reads the build, and passes the contents that may be new to the sink. */
  readonly read: (tools: ReadingTools) => Promise<ExtractedBuild>;
  /** Stored bytes that the commit frees. */
  readonly freedBytes?: number;
  /** Called when the build is judged, before its files are settled. */
  readonly beforeSettled?: (judged: JudgedRelease) => Promise<void>;
  /** Also done in the transaction that commits the release. */
  readonly alsoCommit?: (trx: Trx) => Promise<void>;
};

type ReadingTools = {
  readonly sink: BuildSink;
  readonly find: ContentFinder;
  readonly keeper: ContentKeeper;
  readonly signal: AbortSignal;
};

/** A committed release, and its game. */
export type StoredRelease = { readonly judged: JudgedRelease; readonly changed: GamesTable };

type Workplace = {
  readonly attempt: Attempt;
  readonly folder: SpoolFolder;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
};

/** Reads, judges and stores the release, asks the operator's hook about it, and commits it. */
export async function storeRelease(
  platform: Platform,
  release: NewRelease,
  { attempt, folder, signal }: Workplace,
): Promise<StoredRelease> {
  const { caller, game, fields, staging, isZipStored } = release;
  // Read before the contents: the commit fails if one of them was deleted since.
  const { deleted } = await countReleases(platform.db, game.id);
  const find = await contentFinder(platform, game.id);
  const keeper = keepContents({ gameId: game.id, folder, attempt, find });
  const ended = AbortSignal.any([signal, attempt.signal]);
  const { metrics } = platform;
  const judged = await inPhase(metrics, 'check', () =>
    judgeBuild(platform, game, {
      fields,
      releaseId: attempt.id,
      isZipStored,
      isStaged: staging !== null,
      provenance: caller.kind === 'pat' ? caller.token.provenance : null,
      read: () => release.read({ sink: keeper.sink, find, keeper, signal: ended }),
    }),
  );
  const addedBytes = keeper.added.reduce((sum, content) => sum + bytesOfContent(content), 0);
  await checkQuota(platform, judged, addedBytes - (release.freedBytes ?? 0));
  await inPhase(metrics, 'store', async () => {
    await release.beforeSettled?.(judged);
    await settleBatch(attempt.batch, ended);
  });
  const { contents } = keeper;
  const asked = {
    ...{ caller, game, release: judged.release, files: manifestOf({ judged, contents }) },
    deletedBefore: deleted,
  };
  await askHook(platform, asked, { folder, signal: ended });
  const changed = await inPhase(metrics, 'commit', () =>
    commitRelease(platform, attempt, {
      ...{ caller, judged, contents, addedBytes, staging },
      ...{ deletedBefore: deleted, alsoCommit: release.alsoCommit },
    }),
  );
  return { judged, changed };
}

/** Returns the function that finds a content that the project has already stored. */
export async function contentFinder(platform: Platform, gameId: string): Promise<ContentFinder> {
  const known = await readContents(platform.db, gameId);
  const isStored = checkContents(platform.files, gameId);
  return async (hash) => {
    const content = known.get(hash);
    return content !== undefined && (await isStored(content)) ? content : null;
  };
}

/** Throws `quota_exceeded` if the project has no space for the new contents of the release, and for its ZIP if that is stored. */
export async function checkQuota(
  platform: Platform,
  { release }: Pick<JudgedRelease, 'release'>,
  addedBytes: number,
): Promise<void> {
  const zipBytes = release.zip_stored === 1 ? release.zip_bytes : 0;
  await checkStoredBytes(platform, platform.db, {
    gameId: release.game_id,
    addedBytes: zipBytes + addedBytes,
    hint: 'Delete old releases',
  });
}
