// `svc publish`: checks, compares and uploads a build, and then opens the game as a player would.
import type { Game, Release } from '@svc/contracts/platform';
import {
  type Call,
  defineCommand,
  type OptionSpec,
  type OptionValues,
} from '../../command-line/define-command.ts';
import { formatFindings } from '../../output/format-findings.ts';
import { showProgress } from '../../output/progress.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import type { StatedLimits } from '../../platform/outdated.ts';
import { type Session, withPlatform } from '../../platform/with-platform.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import {
  buildLimits,
  locateBuild,
  type PreparedBuild,
  prepareBuild,
} from '../../project/prepare-build.ts';
import {
  type ProjectFile,
  requireProjectFile,
  writeProjectFile,
} from '../../project/project-file.ts';
import { type FolderBuild, readFolderBuild } from '../../project/read-folder-build.ts';
import { formatDiff, localDiff, sizeDiff } from './format-diff.ts';
import { parsePreviewName, parseVersion, readNotes } from './release-options.ts';
import { reportPublished } from './report-published.ts';
import { NOTHING_NEW, putOnline, sendBuild, tryBuild } from './send-build.ts';
import type { SendOptions } from './send-options.ts';
import { linkTo, requireRoomForLink, type Staging } from './staging.ts';

const OPTIONS = [
  API_OPTION,
  {
    flags: '--version <V>',
    help: 'name of this release, which can be used once (default: date and time)',
    parse: parseVersion,
  },
  { flags: '--notes <T>', help: 'release notes (Markdown)' },
  { flags: '--notes-file <F>', help: 'release notes from a file', value: { kind: 'file' } },
  {
    flags: '--dry-run',
    help: 'show the platform’s verdict and the differences, and publish nothing',
  },
  {
    flags: '--stage',
    help: 'upload the release without making it live, and print a link to play it',
  },
  {
    flags: '--preview <NAME>',
    help: 'like --stage, at the link with this name; replaces the release at that link',
    parse: parsePreviewName,
  },
  { flags: '--force', help: 'upload even if the live release has the same files' },
  {
    flags: '--trace <FILE>',
    help: 'stop with exit code 7 if this trace does not meet a budget in svc.json; the trace is not sent',
    value: { kind: 'file', endings: ['vpt', 'folded'] },
  },
  { flags: '--allow-secrets', help: 'publish keys and .env files, which every player can read' },
] as const satisfies readonly OptionSpec[];

type PublishOptions = OptionValues<typeof OPTIONS>;
type PublishCall = Call<PublishOptions, 'publish'>;

/** What a publish works with once the build is packed and checked. */
type Publishing = {
  readonly call: PublishCall;
  readonly session: Session;
  readonly project: ProjectFile;
  readonly prepared: PreparedBuild | FolderBuild;
  readonly notes: string | null;
  /** Null for a release that goes live. */
  readonly staging: Staging | null;
};

export const publishCommand = defineCommand({
  name: 'publish',
  summary: 'Publish the build and check that the game starts',
  description: `svc checks the folder or ZIP that svc.json or the command line names by the rules of the platform, and compares it with the live release. If the files are the same, nothing is uploaded. From a folder, only new contents are sent, and an interrupted upload continues. The first publish creates the project and writes its id into svc.json. Players get either the old or the new release, never a mixture. After the upload svc opens the game as a browser does. If the game would not start, the exit code is 9.

You can safely run the command again. A version that was published before with the same files counts as done. If the game was unpublished, it goes online again with that version.

With --stage, svc uploads the release, but players keep the live one. svc prints a link to play it, and svc promote makes it live. With --preview NAME, the link keeps its address, and each publish replaces the release that it plays. Use it for one link per pull request.`,
  arguments: [
    {
      name: '[DIR|ZIP]',
      help: 'the build (default: the one in svc.json)',
      value: { kind: 'file', endings: ['zip'] },
    },
  ],
  options: OPTIONS,
  examples: [
    ['svc publish', 'the build that svc.json names'],
    ['svc publish dist --version 1.2.0 --notes-file CHANGES.md', 'from a script'],
    ['svc publish --dry-run --json', 'show what would change, as JSON'],
    ['svc publish --preview pr-12', 'for the testers of a pull request'],
  ],
  document: 'publish',
  async run(call) {
    const project = requireProjectFile(call.io.cwd);
    const notes = readNotes(call.options, call.io);
    if (call.options.trace !== undefined) {
      // Checked before any request. The trace does not leave this machine.
      const { requireBudgets } = await import('../../trace/budgets.ts');
      await requireBudgets(call.options.trace, call.io, call.output, EXIT.invalid);
    }
    await withPlatform(call, async (session) => {
      const live = await readLive(session, project);
      const { limits } = await session.platform.call('limits', {});
      const staging = stagingOf(call.options);
      // Before anything is packed or uploaded.
      if (staging !== null) {
        await requireRoomForLink(session.platform, live?.game.id ?? null, staging, limits);
      }
      const prepared = await prepare(call, session, { project, limits });
      using _removed = prepared.kind === 'zip' ? prepared : null;
      const publishing = { call, session, project, prepared, notes, staging };
      if (call.options.dryRun === true) {
        await dryRun(publishing);
        return;
      }
      if (isUnchanged(live, prepared) && call.options.force !== true) {
        if (staging !== null) {
          const { game, release } = live;
          const preview = await linkTo(session.platform, game.id, release.version, staging);
          const notCreated = otherVersion(call.options, release);
          const sent = { ...NOTHING_NEW, game, release, preview, notCreated, onlineAgain: false };
          await reportPublished(call, session, prepared, sent);
          call.output.note(NOT_STAGED);
          return;
        }
        if (live.game.status === 'published') {
          reportUnchanged(call, live.game, live.release);
          return;
        }
        if (otherVersion(call.options, live.release) === null) {
          const sent = await putOnline(session, live.game.id, live.release.version);
          await reportPublished(call, session, prepared, sent);
          call.output.note(NOT_UPLOADED);
          return;
        }
      }
      const game = live?.game ?? (await createProject(call, session, project));
      await publish(publishing, game);
    });
  },
});

const NOT_UPLOADED =
  'Nothing was uploaded. Use --force to publish the same files under a new version.';
const NOT_STAGED = 'Nothing was uploaded. Use --force to stage the same files under a new version.';

type Live = { readonly game: Game; readonly release: Release | null };

/** The project and its live release. Null if svc.json names no project yet. A rejected token is reported here, before packing. */
async function readLive({ platform }: Session, { id }: ProjectFile): Promise<Live | null> {
  if (id === undefined) {
    await platform.call('me', {});
    return null;
  }
  try {
    const { game, live_release } = await platform.call('project', { params: { id } });
    return { game, release: live_release };
  } catch (error) {
    if (!(error instanceof ExitError) || error.exitCode !== EXIT.not_found) throw error;
    throw new ExitError(EXIT.not_found, error.code, `${platform.api} has no project ${id}.`, {
      hint: 'Its id is from svc.json. Check that this is the right platform. If you have deleted the game, look in the dashboard whether you can restore it. To create a new project, remove the id from svc.json.',
      cause: error,
    });
  }
}

/** Reads and checks the build. A folder is packed only if it can't be uploaded in parts. */
async function prepare(
  call: PublishCall,
  { signal }: Session,
  { project, limits }: { readonly project: ProjectFile; readonly limits: StatedLimits },
): Promise<PreparedBuild | FolderBuild> {
  const { io, options, args } = call;
  let progress: ReturnType<typeof showProgress> | null = null;
  const request = {
    cwd: io.cwd,
    named: args[0],
    project,
    allowSecrets: options.allowSecrets === true,
    limits: buildLimits(limits),
    signal,
  };
  const { path, isFolder } = locateBuild(request);
  // An older platform has no such limit. Before the project exists, a dry run is only of this machine.
  const isOffline = options.dryRun === true && project.id === undefined;
  const inParts = isFolder && limits['upload_part_bytes'] !== undefined && !isOffline;
  const onProgress = (done: { readonly bytes: number; readonly total_bytes: number }): void => {
    const label = inParts ? 'Reading' : 'Packing';
    progress ??= showProgress(io.stderr, label, done.total_bytes, io.env['TERM']);
    progress.update(done.bytes);
  };
  try {
    return inParts
      ? await readFolderBuild(path, { ...request, onProgress })
      : await prepareBuild({ ...request, onProgress });
  } finally {
    endProgress(progress);
  }
}

function endProgress(progress: ReturnType<typeof showProgress> | null): void {
  progress?.end();
}

/** Whether the live release, or the last one of an unpublished game, has the same files. */
function isUnchanged(
  live: Live | null,
  { build }: Pick<PreparedBuild | FolderBuild, 'build'>,
): live is Live & { readonly release: Release } {
  return live?.release?.digest === build.digest;
}

function stagingOf({ stage, preview }: PublishOptions): Staging | null {
  return stage === true || preview !== undefined ? { preview: preview ?? null } : null;
}

/** The version that --version asks for, if it is not that of the release. */
function otherVersion({ version }: PublishOptions, release: Release): string | null {
  return version === undefined || version === release.version ? null : version;
}

function reportUnchanged({ output }: PublishCall, game: Game, release: Release): void {
  const document = { published: false, staged: false, unchanged: true } as const;
  output.result({ ...document, game, release, url: game.play_url }, () => [
    `Nothing to do: version ${release.version} with the same files is live.`,
    ...(game.play_url === null ? [] : [game.play_url]),
  ]);
  output.note(NOT_UPLOADED);
}

async function createProject(
  { io, output }: PublishCall,
  { platform }: Session,
  project: ProjectFile,
): Promise<Game> {
  const { title, slug, engine } = project;
  const body = {
    title,
    ...(slug === undefined ? {} : { slug }),
    ...(engine === undefined ? {} : { engine }),
  };
  const { game } = await platform.call('createProject', { body });
  writeProjectFile(io.cwd, withIdentity(project, game));
  output.note(`Created the project "${game.title}" (${game.slug}) and wrote its id into svc.json.`);
  return game;
}

/** Adds id and slug. A `$schema` stays the first field. */
function withIdentity(project: ProjectFile, { id, slug }: Game): ProjectFile {
  const { $schema, ...rest } = project;
  return { ...($schema === undefined ? {} : { $schema }), ...rest, id, slug };
}

async function publish(
  { call, session, prepared, notes, staging }: Publishing,
  game: Game,
): Promise<void> {
  const { io, output, options } = call;
  const version = options.version ?? versionByTime(new Date());
  const sent = await sendBuild({
    session,
    id: game.id,
    build: prepared,
    fields: { version, notes },
    staging,
    note: output.note,
    progress: uploadProgress(io),
  });
  await reportPublished(call, session, prepared, sent);
}

function uploadProgress({ stderr, env }: PublishCall['io']): SendOptions['progress'] {
  return (bytes) => showProgress(stderr, 'Uploading', bytes, env['TERM']);
}

/** A version such as `2026.11.21-134502`, in UTC: sorts by time, and differs each second. */
export function versionByTime(now: Date): string {
  const [date = '', time = ''] = now.toISOString().split('T');
  return `${date.replaceAll('-', '.')}-${time.slice(0, 8).replaceAll(':', '')}`;
}

async function dryRun({
  call,
  session,
  project,
  prepared,
  notes,
  staging,
}: Publishing): Promise<void> {
  const { io, output, options } = call;
  const version = options.version ?? versionByTime(new Date());
  const { id } = project;
  const { build } = prepared;
  const answer =
    id === undefined
      ? null
      : await tryBuild({
          session,
          id,
          build: prepared,
          fields: { version, notes },
          staging,
          note: output.note,
          progress: uploadProgress(io),
        });
  const diff = sizeDiff(answer?.diff ?? localDiff(build), build);
  const findings = answer?.findings ?? build.warnings;
  output.result(
    {
      published: false,
      dry_run: true,
      // Null if there is no project yet: then only this machine has checked the build.
      verdict: answer,
      digest: build.digest,
      zip_bytes:
        prepared.kind === 'zip' ? prepared.build.zip_bytes : (answer?.release.zip_bytes ?? 0),
      expanded_bytes: build.expanded_bytes,
      findings,
      diff,
    },
    (paint) => [
      `${paint('green', staging === null ? 'Would publish' : 'Would stage')} version ${version}${answer === null ? ', and create the project' : ''}.`,
      ...formatDiff(diff),
      ...formatFindings(findings, paint),
    ],
  );
  output.note('This was a dry run. Nothing was published.');
}
