// The end of a publish: opens the game as a player would, and reports the release.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuildDescription } from '@svc/game-build';
import type { Documents } from '../../documents.ts';
import { formatFindings } from '../../output/format-findings.ts';
import type { Output, Paint } from '../../output/output.ts';
import { safeLine } from '../../output/text.ts';
import type { Session } from '../../platform/with-platform.ts';
import { type ErrorDetail, EXIT, ExitError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import { startDetails } from '../../start-test/start-document.ts';
import { browserIfAny, testGame } from '../../start-test/test-game.ts';
import { formatDiff, type SizedDiff, sizeDiff } from './format-diff.ts';
import { probeGame } from './probe-game.ts';
import type { SentBuild } from './send-build.ts';

/** How long a game is watched after its first frame, in seconds. */
const STARTED_S = 2;

type PublishedCall = { readonly io: Io; readonly output: Output<PublishedDocument> };
type PublishedDocument = Extract<Documents['publish'], { readonly published: true }>;

/**
 * Opens the game as a player would, and reports the release. Throws an ExitError (9) if the game would not start. Warns if this
 * machine cannot reach the game.
 */
export async function reportPublished(
  { io, output }: PublishedCall,
  session: Session,
  { build }: { readonly build: BuildDescription },
  sent: SentBuild,
): Promise<void> {
  const diff = sent.diff === null ? null : sizeDiff(sent.diff, build);
  let document = toDocument(sent, diff);
  if (sent.release.live) {
    const start_test = await testPublished({ io, output }, session, build, document);
    document = { ...document, start_test };
  } else {
    output.warn(
      `Version ${sent.release.version} is not live. Run svc rollback ${sent.release.version} to make it live.`,
    );
  }
  output.result(document, (paint) => [
    publishedLine(sent, paint),
    ...(diff === null ? [] : formatDiff(diff)),
    ...formatFindings(sent.findings ?? build.warnings, paint),
    ...(document.start_test === null ? [] : [TESTED[document.start_test]]),
    '',
    ...(sent.url === null ? [] : [`Page  ${sent.url}`]),
    ...(sent.game.play_url === null ? [] : [`Play  ${sent.game.play_url}`]),
  ]);
}

const TESTED = {
  browser: 'svc started the game in a browser.',
  requests: 'svc requested the page and the main files of the game. It did not start the game.',
} as const;

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
    start_test: null,
  };
}

/** Throws an ExitError (9) if the game does not start for players. Returns how that was checked, null if it was not. */
async function testPublished(
  { io, output }: PublishedCall,
  { network, signal }: Session,
  build: BuildDescription,
  result: PublishedDocument,
): Promise<PublishedDocument['start_test']> {
  const { game, release } = result;
  if (game.play_url === null) return null;
  output.note('Opening the game as a player would …');
  const results = await probeGame(game.play_url, build, release, { network, signal });
  const details = results.flatMap(({ url, faults }) =>
    faults.map((fault) => ({ path: url, message: fault })),
  );
  if (details.length > 0) throw doesNotStart(details, { ...result, start_test: 'requests' });
  const unchecked = results.find((one) => one.unchecked !== null)?.unchecked ?? null;
  if (unchecked !== null) {
    output.warn(`svc could not check the game from this machine: ${safeLine(unchecked)}`);
    return null;
  }
  const faults = await faultsInBrowser({ io, output }, game.play_url, signal);
  if (faults === null) return 'requests';
  if (faults.length > 0) throw doesNotStart(faults, { ...result, start_test: 'browser' });
  return 'browser';
}

/** Starts the game in an installed browser. Null if there is none, or if it cannot be used. */
async function faultsInBrowser(
  { io, output }: PublishedCall,
  url: string,
  signal: AbortSignal,
): Promise<readonly ErrorDetail[] | null> {
  const browser = await browserIfAny(io);
  if (browser === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'svc-publish-'));
  try {
    const trace = join(folder, 'start.vpt');
    // The trace is removed after the test.
    const options = { digest: null, input: null, seconds: STARTED_S };
    const test = await testGame({ ...options, url, browser, trace, signal });
    return startDetails(test.faults);
  } catch (error) {
    if (!(error instanceof ExitError) || signal.aborted) throw error;
    output.warn(`svc could not start the game in a browser: ${error.message}`);
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function doesNotStart(details: readonly ErrorDetail[], result: PublishedDocument): ExitError {
  return new ExitError(
    EXIT.does_not_start,
    'game_does_not_start',
    `Version ${result.release.version} is published, but the game does not start for players.`,
    { details, result, hint: 'Run svc rollback with an earlier version to restore it.' },
  );
}
