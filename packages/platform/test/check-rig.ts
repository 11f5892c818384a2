// Projects whose store is checked with changed parts, for tests of checks and repairs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_LOG } from '@svc/observe';
import type { CheckContext, Report } from '../src/check/check-project.ts';
import { checkStore } from '../src/check/check-store.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { FileStore } from '../src/files/file-store.ts';
import { createFolderStore } from '../src/files/folder-store.ts';
import { openSpool } from '../src/files/spool.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { storedKeys } from './read-state.ts';

/** The text of a file that is stored with compressed variants. */
export const text = (name: string): string => `${name} `.repeat(300);

/** Two projects with two releases each, and a function that checks them with changed parts. */
export async function openRig(changeFiles: (files: FileStore) => FileStore = (files) => files) {
  await using stack = new AsyncDisposableStack();
  const platform = stack.use(await openPlatform({ changeFiles }));
  const { client } = await platform.person('Ada');
  const ids: string[] = [];
  for (const title of ['First', 'Second']) {
    const { game } = await client.call('createProject', { body: { title } });
    await publishBuild(client, game.id, '1', { 'index.html': text('1'), 'a.js': text('a') });
    await publishBuild(client, game.id, '2', { 'index.html': text('2'), 'a.js': text('a') });
    ids.push(game.id);
  }
  const root = join(platform.dataDir, 'projects');
  const { db, ...database } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  stack.defer(() => db.destroy());
  const spool = stack.use(openSpool(join(platform.dataDir, 'checks')));
  const files = createFolderStore(root);
  const context: CheckContext = {
    ...{ db, database: { db, ...database }, spool, files },
    ...{ attemptLeaseMs: 12_000, log: NO_LOG },
  };
  const [first = '', second = ''] = ids;
  /** The key of the stored file of a project that has this content. */
  const keyOf = async (id: string, content: string): Promise<string> => {
    for (const key of await storedKeys(platform, id)) {
      if ((await readFile(join(root, key), 'utf8')) === content) return key;
    }
    throw new Error('Cannot find the content');
  };
  const running = stack.move();
  return {
    ...{ platform, client, db, database: context.database, files, spool, first, second, keyOf },
    pathOf: (key: string) => join(root, key),
    zips: async (id: string) =>
      (await storedKeys(platform, id)).filter((key) => key.endsWith('build.zip')),
    async check(
      changed: Partial<CheckContext>,
      repair: boolean,
      sizesOnly = false,
      graceMs = 3_600_000,
    ) {
      const reports: Report[] = [];
      const options = { repair, sizesOnly, graceMs };
      const report = (one: Report) => reports.push(one);
      const summary = await checkStore({ ...context, ...changed }, options, report);
      return { reports, summary };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
