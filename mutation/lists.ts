// The files in the repository: the table of scores, the equivalent mutants, and the mutants that no test notices yet.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MutantId } from './find-mutants.ts';

/** An entry of a list. `nth` is omitted if it is 0. Only equivalent mutants have a `reason`. */
export type Listed = Omit<MutantId, 'nth'> & { readonly nth?: number; readonly reason?: string };

export type Score = {
  readonly folder: string;
  /** N if one fault in N is judged; 1 for all. */
  readonly share: number;
  readonly mutants: number;
  readonly noticed: number;
  readonly equivalent: number;
};

export type Lists = {
  readonly scores: readonly Score[];
  readonly equivalent: readonly Listed[];
  readonly unnoticed: readonly Listed[];
};

/** The noticed mutants in per cent of those that are not equivalent, rounded down to one decimal. */
export function percent({ mutants, noticed, equivalent }: Score): number {
  const real = mutants - equivalent;
  return real === 0 ? 100 : Math.floor((noticed / real) * 1000) / 10;
}

/**
 * The number of survivors that a sample of this size exceeds with a probability of 1 %, if the row's score is correct. A
 * score above 95 % is treated as 95 %, because another sample rarely reaches it. 0 without a row.
 */
export function mostByChance(judged: number, row: Score | undefined): number {
  if (row === undefined) return 0;
  const rate = Math.max(0.05, 1 - percent(row) / 100);
  // The cumulative binomial distribution, from 0 survivors upwards.
  let probability = (1 - rate) ** judged;
  let sum = probability;
  let most = 0;
  while (sum < 0.99 && most < judged) {
    probability *= ((judged - most) / (most + 1)) * (rate / (1 - rate));
    sum += probability;
    most += 1;
  }
  return most;
}

export function keyOf({ file, within, line, from, to, nth }: Listed): string {
  return JSON.stringify([file, within, line, from, to, nth ?? 0]);
}

/** Whether a fault is in the fixed sample of one fault in `share`. A fault in the sample of 10 is also in that of 5. */
export function isInShare(share: number, id: Listed): boolean {
  return createHash('sha256').update(keyOf(id)).digest().readUInt32BE() % share === 0;
}

export function toListed({ nth, ...rest }: MutantId): Listed {
  return nth === 0 ? rest : { ...rest, nth };
}

export function readLists(folder: string): Lists {
  return {
    scores: readScores(readOr(join(folder, 'scores.md'), '')),
    equivalent: JSON.parse(readOr(join(folder, 'equivalent.json'), '[]')) as Listed[],
    unnoticed: JSON.parse(readOr(join(folder, 'unnoticed.json'), '[]')) as Listed[],
  };
}

/** Writes the table and the unnoticed mutants. The equivalent ones are maintained by hand. */
export function writeLists(folder: string, { scores, unnoticed }: Lists): void {
  writeFileSync(join(folder, 'scores.md'), showScores(scores));
  const sorted = unnoticed.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b), 'en'));
  const json = `${JSON.stringify(sorted, null, 2)}\n`;
  writeFileSync(join(folder, 'unnoticed.json'), json);
}

function showScores(scores: readonly Score[]): string {
  const rows = scores
    .toSorted((a, b) => a.folder.localeCompare(b.folder, 'en'))
    .map(
      (one) =>
        `| ${one.folder} | ${one.share} | ${percent(one).toFixed(1)} | ${one.mutants} | ${one.noticed} | ${one.equivalent} |`,
    );
  return [
    '# Scores',
    '',
    'The share of the planted faults that the tests of each folder notice, in per cent of the faults with an observable effect. In folders',
    'with many faults, a fixed sample of one fault in N is judged.',
    '`npm run mutate -- --write` writes this table; [README.md](README.md) explains it. No score may decrease.',
    '',
    '| folder | one in | score | faults | noticed | equivalent |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
    '',
  ].join('\n');
}

function readScores(text: string): Score[] {
  const rows = text.matchAll(/^\| (\S+) \| (\d+) \| [\d.]+ \| (\d+) \| (\d+) \| (\d+) \|$/gm);
  return [...rows].map(([, folder = '', share, mutants, noticed, equivalent]) => ({
    folder,
    share: Number(share),
    mutants: Number(mutants),
    noticed: Number(noticed),
    equivalent: Number(equivalent),
  }));
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}
