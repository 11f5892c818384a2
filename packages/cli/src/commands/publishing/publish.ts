// `svc publish`: from a build to a playable page: pack, judge, compare, upload, and open it as a player would.
import type { Game, Release } from '@svc/contracts/platform';
import { type Call, defineCommand } from '../../command-line/define-command.ts';
import { showProgress } from '../../output/progress.ts';
import { API_OPTION, type ApiOptions } from '../../platform/api-address.ts';
import { type Session, withPlatform } from '../../platform/with-platform.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import {
  type ProjectFile,
  requireProjectFile,
  writeProjectFile,
} from '../../project/project-file.ts';
import { formatFindings } from './check.ts';
import { formatDiff, localDiff, sizeDiff } from './format-diff.ts';
import { buildLimits, type PreparedBuild, prepareBuild } from './prepare-build.ts';
import { parseVersion, readNotes } from './release-options.ts';
import { reportPublished } from './report-published.ts';
import { putOnline, sendBuild, tryBuild } from './send-build.ts';

type PublishOptions = ApiOptions & {
  readonly version?: string;
  readonly notes?: string;
  readonly notesFile?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly allowSecrets?: boolean;
  readonly trace?: string;
};

export const publishCommand = defineCommand<PublishOptions>({
  name: 'publish',
  summary: 'Publish the build, and check that the game starts',
  description: `It packs the folder (or takes the ZIP) that svc.json or the command line names, judges it as the platform does, and compares it with the live release: an equal build is not uploaded. The first publish creates the project, and writes its id into svc.json. Players get the old release or the new one, whole. Afterwards the play address is opened as a browser would; if the game would not start, it ends with 9 and the reason.

Running it again is safe: a version that was published with the same files counts as done. If the game was unpublished, it goes online again with that version.`,
  arguments: [
    {
      name: '[DIR|ZIP]',
      help: 'the build (else the one in svc.json)',
      value: { kind: 'file', endings: ['zip'] },
    },
  ],
  options: [
    API_OPTION,
    {
      flags: '--version <V>',
      help: 'a name for this release, used once (else date and time)',
      parse: parseVersion,
    },
    { flags: '--notes <T>', help: 'release notes (Markdown)' },
    { flags: '--notes-file <F>', help: 'release notes from a file', value: { kind: 'file' } },
    {
      flags: '--dry-run',
      help: 'the platform’s verdict and the differences; nothing is published',
    },
    { flags: '--force', help: 'upload although the live release has the same files' },
    {
      flags: '--trace <FILE>',
      help: 'refuse (7) where this trace breaks a budget of svc.json; it stays on this machine',
      value: { kind: 'file', endings: ['vpt', 'folded'] },
    },
    { flags: '--allow-secrets', help: 'publish keys and .env files; every player can read them' },
  ],
  examples: [
    ['svc publish', 'what svc.json names'],
    ['svc publish dist --version 1.2.0 --notes-file CHANGES.md', 'from a script'],
    ['svc publish --dry-run --json', 'what would change, for a program'],
  ],
  async run(call) {
    const project = requireProjectFile(call.io.cwd);
    const notes = readNotes(call.options, call.io);
    if (call.options.trace !== undefined) {
      // Before anything is sent, and read here only: nothing of a trace leaves this machine.
      const { holdToBudgets } = await import('../../trace/budgets.ts');
      await holdToBudgets(call.options.trace, call.io, call.output, EXIT.invalid);
    }
    await withPlatform(call, async (session) => {
      const live = await readLive(session, project);
      using prepared = await prepare(call, session, project);
      if (call.options.dryRun === true) {
        await dryRun(call, session, project, prepared, notes);
        return;
      }
      if (isUnchanged(live, prepared) && call.options.force !== true) {
        if (live.game.status === 'published') {
          tellUnchanged(call, live.game, live.release);
          return;
        }
        if (isVersionWanted(call.options, live.release)) {
          const sent = await putOnline(session, live.game.id, live.release.version);
          await reportPublished(call.output, session, prepared, sent);
          call.output.note(NOT_UPLOADED);
          return;
        }
      }
      const game = live?.game ?? (await createProject(call, session, project));
      await publish(call, session, game, prepared, notes);
    });
  },
});

const NOT_UPLOADED = 'Nothing was uploaded. --force publishes it again under a new version.';

type Live = { readonly game: Game; readonly release: Release | null };

/** The project and its live release; null where svc.json names no project yet. Tells early that a token is refused. */
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
      hint: 'svc.json names it. Is this the platform it was published on? To start anew, take the id out.',
      cause: error,
    });
  }
}

async function prepare(
  call: Call<PublishOptions>,
  { platform, signal }: Session,
  project: ProjectFile,
): Promise<PreparedBuild> {
  const { limits } = await platform.call('limits', {});
  const { io, options, args } = call;
  let progress: ReturnType<typeof showProgress> | null = null;
  try {
    return await prepareBuild({
      cwd: io.cwd,
      named: args[0],
      project,
      allowSecrets: options.allowSecrets === true,
      limits: buildLimits(limits),
      signal,
      onProgress({ bytes, total_bytes }) {
        progress ??= showProgress(io.stderr, 'Packing', total_bytes, io.env['TERM']);
        progress.update(bytes);
      },
    });
  } finally {
    endProgress(progress);
  }
}

function endProgress(progress: ReturnType<typeof showProgress> | null): void {
  progress?.end();
}

/** Whether the release that is live, or was live when the game was unpublished, has the same files. */
function isUnchanged(
  live: Live | null,
  { build }: PreparedBuild,
): live is Live & { readonly release: Release } {
  return live?.release?.digest === build.digest;
}

function isVersionWanted({ version }: PublishOptions, release: Release): boolean {
  return version === undefined || version === release.version;
}

function tellUnchanged({ output }: Call<PublishOptions>, game: Game, release: Release): void {
  const document = { published: false, unchanged: true, game, release, url: game.play_url };
  output.result(document, () => [
    `Nothing to do: version ${release.version} is live with the same files.`,
    ...(game.play_url === null ? [] : [game.play_url]),
  ]);
  output.note(NOT_UPLOADED);
}

async function createProject(
  { io, output }: Call<PublishOptions>,
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
  output.note(`Created the project "${game.title}" (${game.slug}); svc.json names it now.`);
  return game;
}

/** Identity first, as a person reads the file. */
function withIdentity(project: ProjectFile, { id, slug }: Game): ProjectFile {
  const { $schema, ...rest } = project;
  return { ...($schema === undefined ? {} : { $schema }), ...rest, id, slug };
}

async function publish(
  call: Call<PublishOptions>,
  session: Session,
  game: Game,
  prepared: PreparedBuild,
  notes: string | null,
): Promise<void> {
  const { io, output, options } = call;
  const version = options.version ?? versionByTime(new Date());
  const sent = await sendBuild({
    session,
    id: game.id,
    zipPath: prepared.zipPath,
    digest: prepared.build.digest,
    fields: { version, notes },
    note: output.note,
    progress: (bytes) => showProgress(io.stderr, 'Uploading', bytes, io.env['TERM']),
  });
  await reportPublished(output, session, prepared, sent);
}

/** `2026.11.21-134502`, in UTC: sorts by time, and is new each second. */
export function versionByTime(now: Date): string {
  const [date = '', time = ''] = now.toISOString().split('T');
  return `${date.replaceAll('-', '.')}-${time.slice(0, 8).replaceAll(':', '')}`;
}

async function dryRun(
  { output, options }: Call<PublishOptions>,
  session: Session,
  { id }: ProjectFile,
  prepared: PreparedBuild,
  notes: string | null,
): Promise<void> {
  const version = options.version ?? versionByTime(new Date());
  const { build } = prepared;
  const answer =
    id === undefined
      ? null
      : await tryBuild({ session, id, zipPath: prepared.zipPath, fields: { version, notes } });
  const diff = sizeDiff(answer?.diff ?? localDiff(build), build);
  const document = {
    published: false,
    dry_run: true,
    // Null where there is no project yet, so that only this machine has judged.
    verdict: answer,
    digest: build.digest,
    zip_bytes: build.zip_bytes,
    expanded_bytes: build.expanded_bytes,
    findings: build.warnings,
    diff,
  };
  output.result(document, (paint) => [
    `${paint('green', 'Would publish')} version ${version}${answer === null ? ', and create the project' : ''}.`,
    ...formatDiff(diff),
    ...formatFindings(build.warnings, paint),
  ]);
  output.note('Dry run: nothing was published.');
}
