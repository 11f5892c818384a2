// `svc-platform check`: compares the database with the file store, and ends.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { formatNumber } from '@svc/contracts/faults';
import { openServerLog } from '@svc/observe';
import type { Report } from '../check/check-project.ts';
import { checkStore, type Summary } from '../check/check-store.ts';
import type { Medium } from '../check/expected-files.ts';
import { sqlitePath } from '../database/open-database.ts';
import { openStores } from '../start/open-stores.ts';
import { readSettings } from '../start/settings.ts';
import type { Command } from './command.ts';
import { chooseDataDir, DATA_DIR } from './data-dir.ts';

const HOUR_MS = 3600 * 1000;
/** The exit code if problems remain. */
const PROBLEMS = 1;

export const check: Command = {
  usage:
    'svc-platform check [--repair] [--sizes-only] [--grace-hours 24] [--data-dir DIR] [--json]',
  help: `  Compares the rows of all projects with the stored files. Servers may run meanwhile. Exits with 1 if problems remain.

  --repair        restore lost files from the stored ZIPs, and remove files that no row refers to
  --sizes-only    compare only names and sizes, and read no file
  --grace-hours N ignore files without a row that are newer (default 24)
  --data-dir DIR  folder of the server (default: SVC_DATA_DIR, or ./svc-data)
  --json          print each problem and the summary as a JSON line
`,
  async run(args, environment) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        repair: { type: 'boolean', default: false },
        'sizes-only': { type: 'boolean', default: false },
        'grace-hours': { type: 'string', default: '24' },
        ...DATA_DIR,
        json: { type: 'boolean', default: false },
      },
    });
    const hours = values['grace-hours'];
    if (!/^\d{1,4}$/.test(hours)) {
      throw new Error(`Cannot use --grace-hours "${hours}". Allowed: 0 to 9999`);
    }
    const settings = readSettings(environment);
    const dataDir = chooseDataDir(values, settings);
    if (settings.databaseUrl === null && !existsSync(sqlitePath(dataDir))) {
      throw new Error(
        `Cannot check "${dataDir}": it contains no database. Name the folder of the server with --data-dir, or set SVC_DATABASE_URL`,
      );
    }
    const log = openServerLog(settings.observe);
    await using ending = new AsyncDisposableStack();
    ending.defer(log.flush);
    await using stores = await openStores({
      dataDir,
      // A check changes no schema.
      settings: { ...settings, migrate: false },
      log,
    });
    const options = {
      repair: values.repair,
      sizesOnly: values['sizes-only'],
      graceMs: Number(hours) * HOUR_MS,
    };
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    const summary = await checkStore(stores, options, (report) =>
      print(values.json ? JSON.stringify(problemRecord(report)) : describeProblem(report)),
    );
    print(
      values.json
        ? JSON.stringify({ event: 'checked', ...summary })
        : describeSummary(summary, values.repair),
    );
    if (summary.left > 0) process.exitCode = PROBLEMS;
  },
};

function problemRecord(report: Report) {
  const { kind, gameId, key, bytes, versions, outcome, reason } = report;
  const { slug, name } = mediumOf(report) ?? { slug: null, name: null };
  const file = { kind, project: gameId, key, bytes, versions, slug, medium: name };
  return { event: 'problem', ...file, outcome, reason };
}

/** Where the file is seen, if it belongs to an image or a trailer. */
function mediumOf({ expected }: Report): Medium | null {
  return expected?.proof.kind === 'media' ? expected.proof.medium : null;
}

/** Names what needs the file: releases, or an image or a trailer of a page. */
function describeNeed(report: Report): string {
  const medium = mediumOf(report);
  if (medium !== null) return ` (${medium.name} of "${medium.slug}")`;
  return report.versions.length === 0 ? '' : ` (version ${report.versions.join(', ')})`;
}

function describeProblem(report: Report): string {
  const { kind, key, outcome, reason } = report;
  const done = outcome === 'found' ? '' : `: ${outcome === 'failed' ? 'not repaired' : outcome}`;
  return `${kind} ${key}${describeNeed(report)}${done}${reason === null ? '' : `. ${reason}`}`;
}

function describeSummary({ projects, files, left, repaired }: Summary, isRepair: boolean): string {
  const checked = `Checked ${count(projects, 'project')} with ${count(files, 'file')}`;
  if (left === 0 && repaired === 0) return `${checked}: no problems`;
  if (isRepair) return `${checked}: repaired ${count(repaired, 'problem')}, ${left} left`;
  return `${checked}: ${count(left, 'problem')}. Run svc-platform check --repair to repair what can be repaired`;
}

function count(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`;
}
