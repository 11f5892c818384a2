// What players do: games by popularity, the files of each release, and releases that replace others.
import { createRandom, hash32 } from './random.ts';
import { createZipf, type Zipf } from './zipf.ts';

export type WorkloadOptions = {
  readonly seed: number;
  readonly games: number;
  readonly exponent: number;
  /** Each play requests all of them once, as a browser without a cache does. */
  readonly filesPerGame: number;
  /** Half of all files are smaller. */
  readonly medianBytes: number;
  /** The standard deviation of the logarithm of a size. */
  readonly spread: number;
  readonly largestBytes: number;
  /** The share of files that a new release changes. */
  readonly changedShare: number;
  /** A game that is drawn like a play gets a new release after this many plays. */
  readonly playsPerRelease: number;
};

/** The reference case: 30 files and about 10 MB a play. */
export const REFERENCE: WorkloadOptions = {
  seed: 1,
  games: 1_000_000,
  exponent: 1,
  filesPerGame: 30,
  medianBytes: 46_000,
  spread: 2,
  largestBytes: 100_000_000,
  changedShare: 0.3,
  playsPerRelease: 10_000,
};

/** A file as a process sees it. Equal contents have equal numbers. */
export type PlayedFile = {
  readonly game: number;
  readonly manifest: number;
  /** The file in its manifest. */
  readonly form: number;
  readonly content: number;
  readonly bytes: number;
  readonly filesInManifest: number;
};

/** The game of a play, and the game that got another release before it; null if none did. */
type Step = { readonly game: number; readonly replaced: number | null };

export type Workload = {
  readonly zipf: Zipf;
  /** Draws the next play. Every `playsPerRelease` plays a game gets another release. */
  next(): Step;
  /** Gives a game another release. */
  replace(game: number): void;
  fileOf(game: number, file: number): PlayedFile;
};

/** The number of sizes. Each file has one of them. */
const SIZES = 4096;
/** The largest number of releases of a game. */
const RELEASES = 4096;

export function createWorkload(options: WorkloadOptions): Workload {
  const { seed, games, filesPerGame, playsPerRelease, changedShare } = options;
  const zipf = createZipf(games, options.exponent);
  const random = createRandom(seed);
  const sizes = drawSizes(options);
  const releases = new Map<number, number>();
  let plays = 0;
  /** The release that changed a file last. */
  const changedIn = (file: number, release: number): number => {
    for (let number = release; number > 0; number--) {
      if (hash32(hash32(file, number), seed) < changedShare * 2 ** 32) return number;
    }
    return 0;
  };
  const draw = (): number => zipf.rankOf(random());
  const replace = (game: number): void => {
    const release = (releases.get(game) ?? 0) + 1;
    if (release === RELEASES) throw new RangeError('Too many releases of a game');
    releases.set(game, release);
  };
  return {
    zipf,
    replace,
    next() {
      const replaced = ++plays % playsPerRelease === 0 ? draw() : null;
      if (replaced !== null) replace(replaced);
      return { game: draw(), replaced };
    },
    fileOf(game, file) {
      const release = releases.get(game) ?? 0;
      const id = game * filesPerGame + file;
      const content = id * RELEASES + changedIn(id, release);
      return {
        game,
        manifest: game * RELEASES + release,
        form: id * RELEASES + release,
        content,
        bytes: sizes[hash32(id, seed) % SIZES] ?? 0,
        filesInManifest: filesPerGame,
      };
    },
  };
}

/** Sizes with a log-normal distribution (Box and Muller's method). */
function drawSizes({ seed, medianBytes, spread, largestBytes }: WorkloadOptions): number[] {
  const random = createRandom(seed + 1);
  return Array.from({ length: SIZES }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.ceil(Math.min(medianBytes * Math.exp(spread * normal), largestBytes));
  });
}
