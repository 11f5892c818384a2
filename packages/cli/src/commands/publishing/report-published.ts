// The end of a publish: opens the game as a player would, and reports the release.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Game, Release } from '@svc/contracts/platform';
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
import { linkLines } from './staging.ts';

/** How long a game is watched after its first frame, in seconds. */
const STARTED_S = 2;

type PublishedCall = { readonly io: Io; readonly output: Output<PublishedDocument> };
type PublishedDocument = Extract<Documents['publish'], { readonly already_published: boolean }>;

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
  if (sent.release.live || sent.preview !== null) {
    const start_test = await testPublished({ io, output }, session, build, document);
    document = { ...document, start_test };
  } else {
    output.warn(notLive(sent.release));
  }
  output.result(document, (paint) => [
    publishedLine(sent, paint),
    ...(diff === null ? [] : formatDiff(diff)),
    ...formatFindings(sent.findings ?? build.warnings, paint),
    ...(document.start_test === null ? [] : [TESTED[document.start_test]]),
    ...addressLines(sent),
  ]);
}

function notLive({ version, staged }: Release): string {
  return staged === true
    ? `Version ${version} is staged. Run svc promote ${version} to make it live.`
    : `Version ${version} is not live. Run svc rollback ${version} to make it live.`;
}

/** The addresses, below an empty line. */
function addressLines({ url, game, release, preview }: SentBuild): string[] {
  if (preview !== null) {
    const promote = `Run svc promote ${release.version} to make it live.`;
    return ['', ...linkLines(preview), ...(release.staged ? ['', promote] : [])];
  }
  // The address of the game plays the live release.
  if (!release.live) return [];
  return [
    '',
    ...(url === null ? [] : [`Page  ${url}`]),
    ...(game.play_url === null ? [] : [`Play  ${game.play_url}`]),
  ];
}

const TESTED = {
  browser: 'svc started the game in a browser.',
  requests: 'svc requested the page and the main files of the game. It did not start the game.',
} as const;

function publishedLine(sent: SentBuild, paint: Paint): string {
  const { already, onlineAgain, game, release, preview } = sent;
  const { version } = release;
  if (onlineAgain) {
    return `${paint('green', 'Online again:')} ${game.title}, version ${version}, which was published before with the same files.`;
  }
  if (already) return alreadyLine(sent);
  return preview === null
    ? `${paint('green', 'Published')} ${game.title}, version ${version}.`
    : `${paint('green', 'Staged')} ${game.title}, version ${version}. ${playersGet(game)}`;
}

/** What a publish reports whose files the project has already. */
function alreadyLine({ game, release, preview, notCreated }: SentBuild): string {
  const { version, live, staged } = release;
  if (staged === true) return `Already staged: version ${version} has the same files.`;
  if (preview === null) return `Already published: version ${version} has the same files.`;
  const state = live && game.status === 'published' ? ' and is live' : '';
  const other = notCreated === null ? '' : ` No release ${notCreated} was created.`;
  return `Version ${version} has the same files${state}. The link plays it.${other}`;
}

/** What players get while a release is staged. */
function playersGet({ status, version }: Pick<Game, 'status' | 'version'>): string {
  return status === 'published' && version !== null
    ? `Players still get version ${version}.`
    : 'Players cannot play it yet.';
}

function toDocument(
  { already, onlineAgain, game, url, release, findings, preview }: SentBuild,
  diff: SizedDiff | null,
): PublishedDocument {
  return {
    published: release.live && game.status === 'published',
    staged: release.staged === true,
    unchanged: already,
    already_published: already,
    online_again: onlineAgain,
    game,
    release,
    url,
    preview,
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
  const { game, release, preview } = result;
  const address = preview?.url ?? game.play_url;
  if (address === null) return null;
  if (game.taken_down != null) {
    output.warn(
      'The operator of the platform has taken the game down. The link works when the game is restored.',
    );
    return null;
  }
  output.note('Opening the game as a player would …');
  const results = await probeGame(address, build, release, { network, signal });
  const details = results.flatMap(({ url, faults }) =>
    faults.map((fault) => ({ path: url, message: fault })),
  );
  if (details.length > 0) throw doesNotStart(details, { ...result, start_test: 'requests' });
  const unchecked = results.find((one) => one.unchecked !== null)?.unchecked ?? null;
  if (unchecked !== null) {
    output.warn(`svc could not check the game from this machine: ${safeLine(unchecked)}`);
    return null;
  }
  const faults = await faultsInBrowser({ io, output }, address, signal);
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
  const { game, release, preview, published: isPlayed } = result;
  const { version, staged } = release;
  const state = staged === true ? 'staged' : 'published';
  const players = isPlayed ? ' for players' : '';
  const fault = preview === null ? '' : ` To see the fault, play it at ${preview.url}.`;
  return new ExitError(
    EXIT.does_not_start,
    'game_does_not_start',
    `Version ${version} is ${state}, but the game does not start${players}.`,
    {
      details,
      result,
      hint: isPlayed
        ? 'Run svc rollback with an earlier version to restore it.'
        : `${playersGet(game)} Correct the build and stage it under another version.${fault}`,
    },
  );
}
