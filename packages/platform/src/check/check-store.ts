// Compares the database and the file store, and repairs what can be repaired. Projects are checked one after another, so the
// memory does not depend on their number.
import { isId } from '../database/new-id.ts';
import {
  type CheckContext,
  type CheckOptions,
  checkProject,
  orphan,
  type Problem,
  type Report,
} from './check-project.ts';
import { repairProject } from './repair-project.ts';

const PROJECTS_AT_ONCE = 100;

export type Summary = {
  readonly projects: number;
  readonly files: number;
  readonly bytes: number;
  /** Number of problems that remain. */
  readonly left: number;
  /** Number of problems that were repaired. */
  readonly repaired: number;
};

/** Checks everything. `report` is called for each problem. */
export async function checkStore(
  context: CheckContext,
  options: CheckOptions,
  report: (problem: Report) => void,
): Promise<Summary> {
  const sum = { projects: 0, files: 0, bytes: 0, left: 0, repaired: 0 };
  const count = (reports: readonly Report[]): void => {
    for (const one of reports) {
      report(one);
      if (one.outcome === 'restored' || one.outcome === 'removed') sum.repaired++;
      else sum.left++;
    }
  };
  for await (const gameId of projectIds(context)) {
    const { problems, files, bytes } = await checkProject(context, gameId, options);
    sum.projects++;
    sum.files += files;
    sum.bytes += bytes;
    count(await settle(context, gameId, problems, options));
  }
  for await (const gameId of orphanFolders(context)) {
    const problems = await filesOfNoProject(context, gameId, options);
    count(await settle(context, gameId, problems, options));
  }
  return sum;
}

/** Repairs the problems of a project, if the options say so, and returns all of them. */
async function settle(
  context: CheckContext,
  gameId: string,
  problems: readonly Problem[],
  options: CheckOptions,
): Promise<Report[]> {
  if (problems.length === 0) return [];
  if (options.repair) return repairProject(context, gameId, problems);
  return problems.map((problem) => ({ ...problem, outcome: 'found' }));
}

async function* projectIds({ db }: CheckContext): AsyncGenerator<string> {
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('games')
      .select('id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(PROJECTS_AT_ONCE)
      .execute();
    for (const { id } of rows) yield id;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < PROJECTS_AT_ONCE) return;
  }
}

/** The folders of projects that no longer exist. Folders with other names are not the platform's, and must stay. */
async function* orphanFolders(context: CheckContext): AsyncGenerator<string> {
  let group: string[] = [];
  for await (const folder of context.files.folders()) {
    if (!isId(folder)) continue;
    group.push(folder);
    if (group.length < PROJECTS_AT_ONCE) continue;
    yield* withoutProject(context, group);
    group = [];
  }
  yield* withoutProject(context, group);
}

async function* withoutProject(
  { db }: CheckContext,
  folders: readonly string[],
): AsyncGenerator<string> {
  if (folders.length === 0) return;
  const rows = await db.selectFrom('games').select('id').where('id', 'in', folders).execute();
  const known = new Set(rows.map((row) => row.id));
  yield* folders.filter((folder) => !known.has(folder));
}

async function filesOfNoProject(
  context: CheckContext,
  gameId: string,
  { graceMs }: CheckOptions,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for await (const { key, bytes, modifiedAt } of context.files.list(gameId)) {
    if (Date.now() - modifiedAt >= graceMs) problems.push(orphan(gameId, key, bytes));
  }
  return problems;
}
