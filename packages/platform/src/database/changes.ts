// Which changes of games this process has heard of, and up to which time it has heard of all of them.

/** Whether results of earlier queries about a game may still be used. */
export type Changes = {
  /**
   * Returns a number that changes with every change of the game that this process hears of. Read it before a query: the
   * result may be used while the number is the same and `isCurrent` is true.
   */
  stampOf(slug: string): number;
  /** Returns whether every change that was committed a second ago or earlier has been heard of. */
  isCurrent(): boolean;
  /** Records that this process has changed the game. */
  changed(slug: string): void;
};

/** Uses one stamp for all games. It counts the writes of all processes at once. */
export function changesOfStamp(stamp: () => number): Changes {
  return { stampOf: stamp, isCurrent: () => true, changed: () => {} };
}

/** A time by two clocks, in milliseconds. The monotonic clock may stand still while the machine sleeps, the other may be set. */
type Instant = { readonly monotonic: number; readonly wall: number };

export type Heard = Changes & {
  /** Forgets everything: what was heard on an earlier connection says nothing about changes since then. */
  restart(): void;
  /** Records that a beat is sent now. Returns its number. */
  sendBeat(): number;
  /** Records that the beat has come back. All changes that were committed before it was sent have been heard of. */
  hearBeat(number: number): void;
};

/** A game may be used for this long after the last beat that came back was sent. */
const CURRENT_MS = 1_000;
/** Changes are counted for this many games. With more of them, all games are read again. */
const COUNTED_GAMES = 10_000;

/** Counts the changes that a process hears of. */
export function createHeard(now: () => Instant = readClocks): Heard {
  const changes = new Map<string, number>();
  const beats = new Map<number, Instant>();
  /** The number of the last change or restart. */
  let last = 0;
  /** The stamp of all games that have not changed since. */
  let floor = 0;
  let lastBeat = 0;
  let currentAt: Instant | null = null;
  const raiseFloor = (): void => {
    changes.clear();
    floor = ++last;
  };
  return {
    stampOf: (slug) => changes.get(slug) ?? floor,
    isCurrent: () => currentAt !== null && elapsed(currentAt, now()) < CURRENT_MS,
    changed(slug) {
      if (changes.size >= COUNTED_GAMES) raiseFloor();
      changes.set(slug, ++last);
    },
    restart() {
      raiseFloor();
      beats.clear();
      currentAt = null;
    },
    sendBeat() {
      beats.set(++lastBeat, now());
      return lastBeat;
    },
    hearBeat(number) {
      const sentAt = beats.get(number);
      if (sentAt === undefined) return;
      currentAt = sentAt;
      for (const earlier of beats.keys()) if (earlier <= number) beats.delete(earlier);
    },
  };
}

function readClocks(): Instant {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Returns the milliseconds between two times, by the clock that counts more. */
function elapsed(from: Instant, to: Instant): number {
  return Math.max(to.monotonic - from.monotonic, to.wall - from.wall);
}
