// The complete state of a platform, for comparisons.
import fsPromises, { readdir } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Db } from '../src/database/schema.ts';
import { openFiles } from '../src/start/open-files.ts';
import type { OpenPlatform } from './open-platform.ts';

const KEPT_AS_IT_IS = [
  ...(['games', 'game_tags', 'releases', 'manifests', 'kept_manifests'] as const),
  ...(['media', 'avatars', 'slugs', 'audit', 'removals', 'search_terms'] as const),
] as const;

/** The state that a rejected change must not alter. */
export async function readState(platform: OpenPlatform, db: Db): Promise<object> {
  const tables = KEPT_AS_IT_IS.map((table) => db.selectFrom(table).selectAll().execute());
  const rows = (await Promise.all(tables)).map((table) =>
    table.map((row) => JSON.stringify(row)).sort(),
  );
  const users = await db
    .selectFrom('users')
    .select(['uid', 'name', 'avatar_id', 'role'])
    .orderBy('uid')
    .execute();
  const tokens = await db.selectFrom('tokens').select(['id', 'revoked_at']).orderBy('id').execute();
  return { rows, users, tokens, files: await allKeys(platform) };
}

/** The temporary files of uploads that are left. */
export async function spooledFiles(platform: OpenPlatform): Promise<string[]> {
  return (await filesIn(platform, 'spool')).filter((path) => !path.endsWith('/lock'));
}

/** The keys of the stored files of a project. */
export async function storedKeys(platform: OpenPlatform, gameId: string): Promise<string[]> {
  using opened = await openFiles(platform.dataDir, platform.settings);
  const { files } = opened;
  return (await Array.fromAsync(files.list(gameId))).map((file) => file.key).sort();
}

/** The keys of all stored files. */
async function allKeys(platform: OpenPlatform): Promise<string[]> {
  using opened = await openFiles(platform.dataDir, platform.settings);
  const { files } = opened;
  const folders = (await Array.fromAsync(files.folders())).sort();
  const lists = folders.map((folder) => Array.fromAsync(files.list(folder)));
  return (await Promise.all(lists)).flatMap((list) => list.map((file) => file.key).sort());
}

/** Runs the work while no stored file can be removed. */
export async function withoutRemoval(t: TestContext, work: () => Promise<unknown>): Promise<void> {
  const { unlink } = fsPromises;
  const stuck = t.mock.method(fsPromises, 'unlink', async (path: string) => {
    if (!path.includes('/projects/')) return unlink(path);
    throw Object.assign(new Error(`EBUSY: unlink '${path}'`), { code: 'EBUSY' });
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    stuck.mock.restore();
    syncBuiltinESMExports();
  }
}

/** The attempts to store files that are at work, or whose files are still there. */
export async function openAttempts(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('attempts')
    .select('id')
    .where('state', 'in', ['open', 'abandoned'])
    .execute();
  return rows.map((row) => row.id);
}

/** The files below a folder of the data folder. */
export async function filesIn(
  { dataDir }: Pick<OpenPlatform, 'dataDir'>,
  folder: string,
): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(join(dataDir, folder), options);
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}
