// A game of the test: its releases, the bytes of each, and which of them players may get at a time.
import { createHash } from 'node:crypto';
import { makeZip } from '@svc/platform/testing';

/** A process plays an old state for at most a second after a change was answered. The rest is for this test's own delays. */
export const STALE_MS = 1_250;

export type Release = {
  readonly version: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly zip: Buffer;
  /** Whether it is published in parts, else as its ZIP. */
  readonly inParts: boolean;
  /** Whether its publish was answered. Without an answer, it may be stored. */
  isPublished: boolean;
};

/** A change of the live release: a publish or a rollback. */
export type Change = {
  readonly kind: 'publish' | 'rollback';
  readonly release: Release;
  readonly begunAt: number;
  /** When it was answered. Null before, and if it was given up. */
  answeredAt: number | null;
  /** When its request had ended. It can't take effect later. Null before. */
  endedAt: number | null;
};

export type Game = {
  readonly id: string;
  readonly slug: string;
  /** All releases in order. */
  readonly releases: Release[];
  /** All changes in the order of their beginnings. Some may be running. */
  readonly changes: Change[];
  /** The number of the last update of its page that was answered. */
  pageNumber: number;
};

export function newGame(id: string, slug: string): Game {
  return { id, slug, releases: [], changes: [], pageNumber: 0 };
}

/** Adds the next release of the game. */
export function addRelease(game: Game): Release {
  const number = game.releases.length + 1;
  const version = `v${number}`;
  const files = filesOf(game.slug, version);
  const zip = makeZip(Object.fromEntries(files));
  const release: Release = { version, files, zip, inParts: number % 2 === 0, isPublished: false };
  game.releases.push(release);
  return release;
}

/** Notes that a change begins now. */
export function beginChange(game: Game, kind: Change['kind'], release: Release): Change {
  const change: Change = {
    kind,
    release,
    begunAt: performance.now(),
    answeredAt: null,
    endedAt: null,
  };
  game.changes.push(change);
  return change;
}

/** Notes that the request of the change has ended now. */
export function endChange(change: Change, isAnswered: boolean): void {
  change.endedAt = performance.now();
  if (isAnswered) change.answeredAt = change.endedAt;
}

/** Returns the releases of which one is live, after all changes have ended. */
export function liveReleases(game: Game): Release[] {
  return playable(game, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
}

/** Returns the release that is live after all changes have ended. Throws if it can be one of several. */
export function liveRelease(game: Game): Release {
  const [live, ...others] = liveReleases(game);
  if (live === undefined || others.length > 0) throw new Error(`${game.slug}: unknown release`);
  return live;
}

/**
 * Returns the releases that a request may be answered with. Times are those of `performance.now()`. A change is no longer seen
 * if another one began after its end and was answered long enough ago.
 */
export function playable(game: Game, requestedAt: number, answeredAt: number): Release[] {
  const lastBegunAt = Math.max(
    ...game.changes
      .filter((change) => (change.answeredAt ?? Number.POSITIVE_INFINITY) + STALE_MS < requestedAt)
      .map(({ begunAt }) => begunAt),
  );
  const seen = game.changes.filter(
    ({ begunAt, endedAt }) =>
      begunAt <= answeredAt && (endedAt ?? Number.POSITIVE_INFINITY) > lastBegunAt,
  );
  return [...new Set(seen.map(({ release }) => release))];
}

/** Returns whether a rollback may have taken effect in this time. It removes the files that were kept for running games. */
export function mayHaveRolledBack(game: Game, from: number, to: number): boolean {
  return game.changes.some(
    ({ kind, begunAt, endedAt }) =>
      kind === 'rollback' && begunAt <= to && (endedAt ?? to) + STALE_MS >= from,
  );
}

/** One file in all releases, and in each a page, two files with hashed names, and one that changes under its name. */
function filesOf(slug: string, version: string): Map<string, Buffer> {
  const bytes = (name: string, length: number): Buffer =>
    createHash('shake256', { outputLength: length }).update(`${slug} ${version} ${name}`).digest();
  const art = bytes('art', 40_000);
  const script = Buffer.from(
    `export default '${bytes('script', 20).toString('hex')}';`.repeat(500),
  );
  const hashed = new Map([
    [`art-${hashOf(art)}.bin`, art],
    [`main-${hashOf(script)}.js`, script],
  ]);
  const list = [...hashed.keys()].join(' ');
  return new Map([
    ['index.html', Buffer.from(`<!doctype html><title>${slug} ${version}</title><p>${list}`)],
    [
      'level.json',
      Buffer.from(JSON.stringify({ version, map: bytes('map', 2_000).toString('hex') })),
    ],
    ['same.txt', Buffer.from(`${slug} `.repeat(1_000))],
    ...hashed,
  ]);
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}
