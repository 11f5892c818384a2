// Counts in memory what players do, by game. Nothing about who they are is received.

/** Bounds of what is counted until the counts are stored. The rest of the plays and bytes is not counted. */
const GAMES = 10_000;
const RELEASES = 50;
/** Bounds of names of missing files, of a game and of all. Others are counted without their name. */
const PATHS = 20;
const ALL_PATHS = 2_000;
const PATH_CHARACTERS = 200;

/** The plays of a release: all, and those in a frame, which is that of the store. */
type Plays = { all: number; framed: number };

/** What happened to a game since the counts were last stored. */
export type Counts = {
  views: number;
  bytes: number;
  missing: number;
  /** By the id of the release. */
  readonly plays: Map<string, Plays>;
  /** The missing files whose path is counted. */
  readonly missingFiles: Map<string, number>;
};

/** The counts by the id of the game. `since` is the time of the first one, in milliseconds since 1970. */
export type Batch = { readonly since: number; readonly games: ReadonlyMap<string, Counts> };

/** A play. `isFramed` is true if a page shows the game in a frame. */
type Play = { readonly releaseId: string; readonly isFramed: boolean };

export type Counters = {
  view(gameId: string): void;
  play(gameId: string, play: Play): void;
  sent(gameId: string, bytes: number): void;
  missing(gameId: string, path: string): void;
  /** Returns the counts of one game, or of all games, and begins new ones. Null if there are none. */
  take(gameId?: string): Batch | null;
  /** Adds counts that could not be stored. */
  giveBack(batch: Batch): void;
};

export function createCounters(now: () => number): Counters {
  let games = new Map<string, Counts>();
  let since = 0;
  let paths = 0;
  const of = (gameId: string): Counts | null => {
    const known = games.get(gameId);
    if (known !== undefined) return known;
    if (games.size >= GAMES) return null;
    if (games.size === 0) since = now();
    const counts = { views: 0, bytes: 0, missing: 0, plays: new Map(), missingFiles: new Map() };
    games.set(gameId, counts);
    return counts;
  };
  const addMissing = ({ missingFiles }: Counts, path: string, count: number): void => {
    const known = missingFiles.get(path);
    if (known !== undefined) missingFiles.set(path, known + count);
    else if (path.length <= PATH_CHARACTERS && missingFiles.size < PATHS && paths < ALL_PATHS) {
      paths++;
      // A copy. The path is a part of the request's address, and would keep all of that in memory.
      missingFiles.set(Buffer.from(path).toString(), count);
    }
  };
  return {
    view(gameId) {
      const counts = of(gameId);
      if (counts !== null) counts.views++;
    },
    play(gameId, { releaseId, isFramed }) {
      const counts = of(gameId);
      if (counts !== null) addPlays(counts, releaseId, { all: 1, framed: isFramed ? 1 : 0 });
    },
    sent(gameId, bytes) {
      const counts = bytes === 0 ? null : of(gameId);
      if (counts !== null) counts.bytes += bytes;
    },
    missing(gameId, path) {
      const counts = of(gameId);
      if (counts === null) return;
      counts.missing++;
      addMissing(counts, path, 1);
    },
    take(gameId) {
      const taken = gameId === undefined ? games : only(games, gameId);
      if (taken.size === 0) return null;
      if (gameId === undefined) {
        games = new Map();
        paths = 0;
      } else {
        games.delete(gameId);
        paths -= taken.get(gameId)?.missingFiles.size ?? 0;
      }
      return { since, games: taken };
    },
    giveBack(batch) {
      for (const [gameId, { views, bytes, missing, plays, missingFiles }] of batch.games) {
        const kept = of(gameId);
        if (kept === null) continue;
        kept.views += views;
        kept.bytes += bytes;
        kept.missing += missing;
        for (const [releaseId, some] of plays) addPlays(kept, releaseId, some);
        for (const [path, count] of missingFiles) addMissing(kept, path, count);
      }
      since = Math.min(since, batch.since);
    },
  };
}

function only(games: ReadonlyMap<string, Counts>, gameId: string): Map<string, Counts> {
  const counts = games.get(gameId);
  return new Map(counts === undefined ? [] : [[gameId, counts]]);
}

function addPlays({ plays }: Counts, releaseId: string, more: Plays): void {
  const known = plays.get(releaseId);
  if (known !== undefined) {
    known.all += more.all;
    known.framed += more.framed;
  } else if (plays.size < RELEASES) plays.set(releaseId, { ...more });
}
