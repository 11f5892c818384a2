// `npm run mutate`: plants faults in important sources, one at a time, and reports the faults that no test notices.
//
//   npm run mutate -- [--minutes N] [--seed TEXT] [--share N] [--survivors] [--write] [--concurrency N] [PATH-PART …]
//
// --minutes judges a random sample, selected by --seed. --survivors lists the survivors of earlier runs, and the faults that
// only a timeout noticed, without running tests.
// --share N judges a fixed sample of one fault in N.
// --write writes the score and the survivors of each completely judged folder. It uses the share in the table unless --share
// is given.
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { buildBrowserCode } from '../scripts/build-browser.ts';
import { onEnding } from '../scripts/on-ending.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { FOLDERS } from './folders.ts';
import { percent, readLists, writeLists } from './lists.ts';
import {
  type FolderResult,
  hasSources,
  runFolder,
  showSurvivor,
  updateLists,
} from './run-folder.ts';

const POLITE = 10;

async function main(): Promise<void> {
  const { values, positionals: parts } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      survivors: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      concurrency: { type: 'string', default: '1' },
      share: { type: 'string' },
    },
  });
  onEnding(() => process.exit(130));
  setPriority(POLITE);
  const folders = FOLDERS.filter((folder) => hasSources(folder, ROOT, parts));
  if (folders.length === 0) throw new Error(`No folder of mutation/folders.ts has "${parts}"`);
  if (!values.survivors) buildBrowserCode();
  const end = performance.now() + Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  for (const folder of folders) {
    const lists = readLists(import.meta.dirname);
    const row = values.write ? lists.scores.find((one) => one.folder === folder.name) : undefined;
    const result = await runFolder(folder, {
      root: ROOT,
      lists,
      share: Number(values.share ?? row?.share ?? 1),
      parts,
      ...(values.minutes !== undefined && {
        minutes: Math.max(0, end - performance.now()) / 60_000,
        seed: values.seed ?? String(Date.now()),
      }),
      onlyRecall: values.survivors,
      concurrency: Number(values.concurrency),
      log: (line) => console.log(line),
    });
    report(result, values.survivors);
    if (values.write) write(result);
  }
}

function report(result: FolderResult, listSurvivors: boolean): void {
  const { folder, score, judged, survivors, red, faults, complete } = result;
  if (listSurvivors) for (const one of survivors) console.log(showSurvivor(one));
  const late = judged.filter(
    ({ verdict }) => verdict.state === 'noticed' && verdict.how === 'timeout',
  );
  if (listSurvivors) {
    for (const { mutant } of late) console.log(`noticed by a timeout: ${showSurvivor(mutant)}`);
  }
  const judgedScore = { ...score, mutants: score.noticed + survivors.length, equivalent: 0 };
  console.log(
    `${folder}: ${percent(judgedScore)} % of ${judgedScore.mutants} judged noticed ` +
      `(${late.length} of them by a timeout), ${survivors.length} survived, ` +
      `${score.mutants} in all, ${score.equivalent} equivalent${complete ? '; complete' : ''}`,
  );
  for (const { testFile } of red) console.log(`FAULT ${testFile} fails without a mutant`);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  if (red.length + faults.length > 0) process.exitCode = 1;
}

function write(result: FolderResult): void {
  const lists = readLists(import.meta.dirname);
  const row = lists.scores.find((one) => one.folder === result.folder);
  const { share } = result.score;
  const sinks = row?.share === share && percent(result.score) < percent(row);
  if (!result.complete) console.log(`${result.folder}: not judged whole, so not written`);
  else if (sinks) console.log(`${result.folder}: the score sank, so not written`);
  else if (row !== undefined && share > row.share) {
    console.log(`${result.folder}: the table has a score of more faults, so not written`);
  } else writeLists(import.meta.dirname, updateLists(lists, result));
}

await main();
