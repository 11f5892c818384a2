// Uploads a build. After a lost response the upload is repeated, which cannot publish it twice.
import type {
  BuildFinding,
  DryRunAnswer,
  Game,
  Release,
  ReleaseDiff,
} from '@svc/contracts/platform';
import type { Progress } from '../../output/progress.ts';
import type { Session } from '../../platform/with-platform.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import { type UploadFields, uploadBytes, uploadForm } from './upload.ts';

export type SendOptions = {
  readonly session: Session;
  readonly id: string;
  readonly zipPath: string;
  readonly fields: UploadFields;
};

export type SentBuild = {
  readonly game: Game;
  readonly release: Release;
  /** The page of the game. Null if an earlier publish created the release. */
  readonly url: string | null;
  /** Null if the release existed before. The same holds for `findings`. */
  readonly diff: ReleaseDiff | null;
  readonly findings: readonly BuildFinding[] | null;
  /** The version was published before, with the same files. */
  readonly already: boolean;
  /** The game had been unpublished, and is online again with a release that was published before. */
  readonly onlineAgain: boolean;
};

type SendableBuild = SendOptions & {
  /** The digest of the files in the ZIP. */
  readonly digest: string;
};

/**
 * Publishes the ZIP. If the version exists with the same digest, the publish counts as done. An unpublished game goes online again
 * with it.
 */
export async function sendBuild(
  options: SendableBuild & {
    readonly note: (text: string) => void;
    readonly progress: (totalBytes: number) => Progress;
  },
): Promise<SentBuild> {
  const { session, id, zipPath, fields } = options;
  const total = uploadBytes(zipPath);
  let progress: Progress | null = null;
  try {
    const answer = await session.platform.call(
      'publish',
      () => {
        progress?.end();
        progress = options.progress(total);
        const form = uploadForm({ zipPath, fields, signal: session.signal, progress });
        return { params: { id }, form };
      },
      { repeat: 'safe' },
    );
    return { ...answer, already: false, onlineAgain: false };
  } catch (error) {
    if (!(error instanceof ExitError) || error.code !== 'version_exists') throw error;
    return await findEqualRelease(options, error);
  } finally {
    endProgress(progress);
  }
}

function endProgress(progress: Progress | null): void {
  progress?.end();
}

/** Returns the release of that version if it has the same files. Otherwise throws the conflict. */
async function findEqualRelease(
  { session, id, fields, digest }: SendableBuild,
  conflict: ExitError,
): Promise<SentBuild> {
  const { platform, signal } = session;
  const { version } = fields;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    signal.throwIfAborted();
    const query = { limit: '100', ...(cursor === undefined ? {} : { cursor }) };
    const page = await platform.call('releases', { params: { id }, query });
    const release = page.releases.find((one) => one.version === version);
    if (release?.digest === digest) return await asSent({ platform }, id, release);
    if (release !== undefined) break;
    cursor = page.next_cursor;
  }
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
  release: Release,
): Promise<SentBuild> {
  const { game } = await platform.call('project', { params: { id } });
  return game.status === 'draft'
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

const NOTHING_NEW = { url: null, diff: null, findings: null, already: true } as const;

const NO_PROGRESS = { update() {}, end() {} };

/** Sends the ZIP for the platform's verdict only. */
export async function tryBuild({
  session,
  id,
  zipPath,
  fields,
}: SendOptions): Promise<DryRunAnswer> {
  return await session.platform.dryRun(() => ({
    params: { id },
    form: uploadForm({ zipPath, fields, signal: session.signal, progress: NO_PROGRESS }),
  }));
}
