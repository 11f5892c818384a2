// Uploads and publishes a build. After a lost response the upload is repeated, which cannot publish it twice.
import type {
  BuildFinding,
  DryRunAnswer,
  Game,
  Preview,
  PublishAnswer,
  Release,
  ReleaseDiff,
} from '@svc/contracts/platform';
import type { Progress } from '../../output/progress.ts';
import type { Session } from '../../platform/with-platform.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import { findRelease } from './find-release.ts';
import type { SendOptions } from './send-options.ts';
import { publishParts, tryParts } from './send-parts.ts';
import { linkTo, type Staging, stagingQuery } from './staging.ts';
import { uploadBytes, uploadForm } from './upload.ts';

export type SentBuild = {
  readonly game: Game;
  readonly release: Release;
  /** The page of the game. Null if an earlier publish created the release. */
  readonly url: string | null;
  /** Null if the release existed before. The same holds for `findings`. */
  readonly diff: ReleaseDiff | null;
  readonly findings: readonly BuildFinding[] | null;
  /** The link of --stage or --preview. Null without these options. */
  readonly preview: Preview | null;
  /** The version was published before, with the same files. */
  readonly already: boolean;
  /** The version that was asked for, if no release of it was created because the live release has the same files. */
  readonly notCreated: string | null;
  /** The game had been unpublished, and is online again with a release that was published before. */
  readonly onlineAgain: boolean;
};

/**
 * Publishes the build: a folder in parts, a ZIP as it is. If the version exists with the same digest, the publish counts as done.
 * An unpublished game goes online again with it.
 */
export async function sendBuild(options: SendOptions): Promise<SentBuild> {
  try {
    const answer =
      options.build.kind === 'zip'
        ? await sendZip(options, options.build.zipPath)
        : await publishParts(options, options.build);
    const { preview = null } = answer;
    return { ...answer, preview, already: false, notCreated: null, onlineAgain: false };
  } catch (error) {
    if (!(error instanceof ExitError) || error.code !== 'version_exists') throw error;
    return await findEqualRelease(options, error);
  }
}

async function sendZip(options: SendOptions, zipPath: string): Promise<PublishAnswer> {
  const { session, id, fields } = options;
  const total = uploadBytes(zipPath);
  let progress: Progress | null = null;
  try {
    return await session.platform.call(
      'publish',
      () => {
        progress?.end();
        progress = options.progress(total);
        const form = uploadForm({ zipPath, fields, signal: session.signal, progress });
        return { params: { id }, query: stagingQuery(options.staging), form };
      },
      { repeat: 'safe' },
    );
  } finally {
    endProgress(progress);
  }
}

function endProgress(progress: Progress | null): void {
  progress?.end();
}

/** Returns the release of that version if it has the same files. Otherwise throws the conflict. */
async function findEqualRelease(
  { session, id, fields, build, staging }: SendOptions,
  conflict: ExitError,
): Promise<SentBuild> {
  const { version } = fields;
  const release = await findRelease(session, id, version);
  if (release?.digest === build.build.digest)
    return await asSent(session, id, { release, staging });
  throw new ExitError(
    EXIT.conflict,
    conflict.code,
    `Version "${version}" was published before with other files.`,
    {
      hint: 'Each version can be used once. Choose another one with --version.',
      cause: conflict,
    },
  );
}

async function asSent(
  { platform }: Pick<Session, 'platform'>,
  id: string,
  { release, staging }: { readonly release: Release; readonly staging: Staging | null },
): Promise<SentBuild> {
  const { game } = await platform.call('project', { params: { id } });
  if (staging !== null) {
    const preview = await linkTo(platform, id, release.version, staging);
    return { ...NOTHING_NEW, game, release, preview, onlineAgain: false };
  }
  // Only svc promote makes a staged release live.
  return game.status === 'draft' && release.staged !== true
    ? await putOnline({ platform }, id, release.version)
    : { ...NOTHING_NEW, game, release, onlineAgain: false };
}

/** Puts an unpublished game online with an existing release. Nothing is uploaded. */
export async function putOnline(
  { platform }: Pick<Session, 'platform'>,
  id: string,
  version: string,
): Promise<SentBuild> {
  const input = { params: { id }, body: { version } };
  const { game, release } = await platform.call('rollback', input, { repeat: 'safe' });
  return { ...NOTHING_NEW, game, release, onlineAgain: true };
}

/** What a publish returns that has uploaded nothing. */
export const NOTHING_NEW = {
  ...{ url: null, diff: null, findings: null, preview: null },
  ...{ already: true, notCreated: null },
} as const;

const NO_PROGRESS = { update() {}, end() {} };

/** Sends the build for the platform's verdict only. */
export async function tryBuild(options: SendOptions): Promise<DryRunAnswer> {
  const { session, id, build, fields } = options;
  if (build.kind === 'folder') return await tryParts(options, build);
  const { zipPath } = build;
  return await session.platform.dryRun('publish', () => ({
    params: { id },
    query: stagingQuery(options.staging),
    form: uploadForm({ zipPath, fields, signal: session.signal, progress: NO_PROGRESS }),
  }));
}
