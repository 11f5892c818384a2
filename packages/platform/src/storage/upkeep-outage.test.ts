// The upkeep while the database does not answer.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { logTo } from '@svc/observe/testing';
import { until } from '../../../../scripts/until.ts';
import { openDatabase } from '../database/open-database.ts';
import { failure } from '../failure.ts';
import { createFolderStore } from '../files/folder-store.ts';
import type { Platform } from '../platform.ts';
import { startUpkeep } from './upkeep.ts';

test('while the database does not answer, regular runs and removals after a request end without an error or a line', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const folder = await mkdtemp(join(tmpdir(), 'svc-upkeep-'));
  const database = await openDatabase(folder, null);
  const { db } = database;
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  const lines: string[] = [];
  const removal = { id: '1', game_id: 'game', kind: 'project', created_at: 1 } as const;
  await db.insertInto('removals').values(removal).execute();
  const platform = {
    ...{ db, database, now: Date.now, log: logTo((line) => lines.push(line)) },
    files: createFolderStore(join(folder, 'projects')),
    attemptLeaseMs: 12_000,
    limits: PLATFORM_LIMITS,
  } as unknown as Platform;
  await using upkeep = startUpkeep(platform);
  let queries = 0;
  const outage = (['getExecutor', 'selectFrom', 'updateTable'] as const).map((name) =>
    t.mock.method(db, name, () => {
      queries++;
      throw failure('unavailable', 'The database cannot be reached now');
    }),
  );
  // A rejection without a handler would fail this test, and end a server.
  t.mock.timers.tick(60_000);
  await until(
    () => queries,
    (count) => count >= 2,
    'a run has asked the database',
    30_000,
  );
  await upkeep.removeFiles('game');
  await new Promise(setImmediate);
  assert.deepEqual(lines, []);
  for (const { mock } of outage) mock.restore();
  await upkeep.removeFiles('game');
  assert.deepEqual(await db.selectFrom('removals').selectAll().execute(), []);
});
