import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../database/open-database.ts';
import { LEFT_OUT, TABLES } from './tables.ts';

const ONLY_ON_POSTGRES = 'rate_limits';

test('a backup has every table of the schema with its primary key, or a reason why it lacks it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-tables-'));
  t.after(() => rm(folder, { recursive: true }));
  const { db } = await openDatabase(folder, null);
  t.after(() => db.destroy());
  const tables = (await db.introspection.getTables()).map(({ name }) => name);
  const listed = [...TABLES.map(({ name }) => name), ...Object.keys(LEFT_OUT)];
  assert.deepEqual(listed.toSorted(), [...tables, ONLY_ON_POSTGRES].toSorted());
  for (const { name, key } of TABLES) {
    const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${name})
      where pk > 0 order by pk`.execute(db);
    assert.deepEqual(
      key,
      rows.map((row) => row.name),
      name,
    );
  }
});

test('a table comes after those that it refers to', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-tables-'));
  t.after(() => rm(folder, { recursive: true }));
  const { db } = await openDatabase(folder, null);
  t.after(() => db.destroy());
  const done = new Set<string>();
  for (const { name } of TABLES) {
    const { rows } = await sql<{
      table: string;
    }>`select "table" from pragma_foreign_key_list(${name})`.execute(db);
    for (const { table } of rows) assert.ok(done.has(table), `${name} after ${table}`);
    done.add(name);
  }
});
