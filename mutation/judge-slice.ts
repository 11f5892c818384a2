// A sample of mutants for the long test lane: a folder and some of its faults, selected by the lane's seed.
import { createHash } from 'node:crypto';
import { onEnding } from '../scripts/on-ending.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { FOLDERS } from './folders.ts';
import { readLists } from './lists.ts';
import { type FolderResult, runFolder } from './run-folder.ts';

/** Time for the mutants, after the tests have run without one. */
const MINUTES = 3;

/**
 * Judges a sample of a folder that has a score. The same seed selects the same faults in the same order. A slow machine
 * judges fewer of them. Throws if no quick folder has a score.
 */
export async function judgeSlice(): Promise<FolderResult> {
  onEnding(() => process.exit(1));
  const seed = process.env['SVC_TEST_SEED'] ?? '';
  const lists = readLists(import.meta.dirname);
  const scored = new Set(lists.scores.map(({ folder }) => folder));
  const folders = FOLDERS.filter(({ name, slow }) => slow !== true && scored.has(name));
  const drawn = createHash('sha256').update(seed).digest().readUInt32BE();
  const folder = folders[drawn % folders.length];
  if (folder === undefined) throw new Error('mutation/scores.md has no score of a quick folder');
  console.log(`${folder.name}, seed "${seed}"`);
  return runFolder(folder, {
    root: ROOT,
    lists,
    share: lists.scores.find((row) => row.folder === folder.name)?.share ?? 1,
    minutes: MINUTES,
    seed,
    log: (line) => console.log(line),
  });
}
