// Deleting old counts: it reads no row that stays, and deletes more than one statement does.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { CompiledQuery, createQueryId, type KyselyPlugin, sql } from 'kysely';
import { openDatabase } from '../database/open-database.ts';
import type { Db } from '../database/schema.ts';
import { dropOldCounts } from './drop-old-counts.ts';

async function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-counts-'));
  const { db } = await openDatabase(folder, null);
  t.after(async () => {
    await db.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  return db;
}

test('each deletion finds old rows by the index of kinds and days', async (t) => {
  const db = await open(t);
  const queries: CompiledQuery[] = [];
  const noting: KyselyPlugin = {
    transformQuery({ node }) {
      queries.push(db.getExecutor().compileQuery(node, createQueryId()));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const noted = { db: db.withPlugin(noting), now: () => Date.now(), limits: PLATFORM_LIMITS };
  await dropOldCounts(noted);
  assert.ok(queries.length > 0);
  for (const { sql: text, parameters } of queries) {
    const plan = CompiledQuery.raw(`explain query plan ${text}`, [...parameters]);
    const { rows } = await db.executeQuery<{ detail: string }>(plan);
    const steps = rows.map(({ detail }) => detail);
    const reads = steps.filter((step) => / daily_counts\b/.test(step));
    assert.deepEqual(
      reads.map((step) => step.replace(/^SEARCH daily_counts USING (?:COVERING )?INDEX /, '')),
      [
        'sqlite_autoindex_daily_counts_1 (game_id=? AND day=? AND kind=? AND name=?)',
        'daily_counts_by_kind (kind=? AND day<?)',
      ],
      steps.join('\n'),
    );
  }
});

/** Deletes what is old at noon of 2026-03-01, and returns the rest. Games need not exist. */
async function dropIn(db: Db, rows: ReturnType<typeof sql>, stats_days: number) {
  await sql`pragma foreign_keys = off`.execute(db);
  await sql`insert into daily_counts (game_id, day, kind, name, count) ${rows}`.execute(db);
  const now = (): number => Date.parse('2026-03-01T12:00:00Z');
  await dropOldCounts({ db, now, limits: { ...PLATFORM_LIMITS, stats_days } });
  const left = await db
    .selectFrom('daily_counts')
    .select(['kind', 'day'])
    .orderBy('day')
    .orderBy('kind')
    .execute();
  return left.map(({ kind, day }) => `${kind} ${day}`);
}

test('more rows than one statement deletes are deleted, and the others stay', async (t) => {
  const rows = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)
    select 'g' || i, '2025-01-01', 'view', '', 1 from n
    union all select 'g', '2026-02-28', 'view', '', 1`;
  assert.deepEqual(await dropIn(await open(t), rows, 400), ['view 2026-02-28']);
});

test('names of missing files are kept for 30 days, and never longer than the sums', async (t) => {
  const rows = sql`select 'g', day, kind, '', 1 from
    (select '2026-01-20' as day union select '2026-02-10' union select '2026-02-20'),
    (select 'missing_file' as kind union select 'missing')`;
  assert.deepEqual(await dropIn(await open(t), rows, 400), [
    ...['missing 2026-01-20', 'missing 2026-02-10', 'missing_file 2026-02-10'],
    ...['missing 2026-02-20', 'missing_file 2026-02-20'],
  ]);
  assert.deepEqual(await dropIn(await open(t), rows, 14), [
    'missing 2026-02-20',
    'missing_file 2026-02-20',
  ]);
});
