// The end of a publish: opens the game as a player would, and reports the release.
import type { Build } from '@svc/game-build';
import type { Documents } from '../../documents.ts';
import { formatFindings } from '../../output/format-findings.ts';
import type { Output, Paint } from '../../output/output.ts';
import { safeLine } from '../../output/text.ts';
import type { Session } from '../../platform/with-platform.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import type { PreparedBuild } from '../../project/prepare-build.ts';
import { formatDiff, type SizedDiff, sizeDiff } from './format-diff.ts';
import { probeGame } from './probe-game.ts';
import type { SentBuild } from './send-build.ts';

type PublishedDocument = Extract<Documents['publish'], { readonly published: true }>;

/**
 * Opens the game as a player would, and reports the release. Throws an ExitError (9) if the game would not start. Warns if this
 * machine cannot reach the game.
 */
export async function reportPublished(
  output: Output<PublishedDocument>,
  session: Session,
  { build }: PreparedBuild,
  sent: SentBuild,
): Promise<void> {
  const diff = sent.diff === null ? null : sizeDiff(sent.diff, build);
  const document = toDocument(sent, diff);
  if (sent.release.live) {
    await requireStart(output, session, build, document);
  } else {
    output.warn(
      `Version ${sent.release.version} is not live. Run svc rollback ${sent.release.version} to make it live.`,
    );
  }
  output.result(document, (paint) => [
    publishedLine(sent, paint),
    ...(diff === null ? [] : formatDiff(diff)),
    ...formatFindings(sent.findings ?? build.warnings, paint),
    '',
    ...(sent.url === null ? [] : [`Page  ${sent.url}`]),
    ...(sent.game.play_url === null ? [] : [`Play  ${sent.game.play_url}`]),
  ]);
}

function publishedLine({ already, onlineAgain, game, release }: SentBuild, paint: Paint): string {
  if (onlineAgain) {
    return `${paint('green', 'Online again:')} ${game.title}, version ${release.version}, which was published before with the same files.`;
  }
  return already
    ? `Already published: version ${release.version} has the same files.`
    : `${paint('green', 'Published')} ${game.title}, version ${release.version}.`;
}

function toDocument(
  { already, onlineAgain, game, url, release, findings }: SentBuild,
  diff: SizedDiff | null,
): PublishedDocument {
  return {
    published: true,
    unchanged: false,
    already_published: already,
    online_again: onlineAgain,
    game,
    release,
    url,
    diff,
    findings,
  };
}

/** Throws an ExitError (9) if the game does not start for players. */
async function requireStart(
  output: Output,
  { network, signal }: Session,
  build: Build,
  result: PublishedDocument,
): Promise<void> {
  const { game, release } = result;
  if (game.play_url === null) return;
  output.note('Opening the game as a player would …');
  const results = await probeGame(game.play_url, build, release, { network, signal });
  const details = results.flatMap(({ url, faults }) =>
    faults.map((fault) => ({ path: url, message: fault })),
  );
  const unchecked = results.find((one) => one.unchecked !== null)?.unchecked ?? null;
  if (unchecked !== null) {
    output.warn(`svc could not check the game from this machine: ${safeLine(unchecked)}`);
  }
  if (details.length === 0) return;
  throw new ExitError(
    EXIT.does_not_start,
    'game_does_not_start',
    `Version ${release.version} is published, but the game does not start for players.`,
    { details, result, hint: 'Run svc rollback with an earlier version to restore it.' },
  );
}
