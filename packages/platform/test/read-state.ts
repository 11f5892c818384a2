// The complete state of a platform, for comparisons.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../src/database/schema.ts';
import type { OpenPlatform } from './open-platform.ts';

const KEPT_AS_IT_IS = [
  ...(['games', 'game_tags', 'releases', 'release_files', 'contents', 'kept_files'] as const),
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
  return { rows, users, tokens, files: await filesIn(platform, 'projects') };
}

/** The files below a folder of the data folder. */
export async function filesIn({ dataDir }: OpenPlatform, folder: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(join(dataDir, folder), options);
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}
