// The checks of a server that a broken part does not answer.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../database/open-database.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Platform } from '../platform.ts';
import { createPlatformHealth } from './health-routes.ts';

test('a check that hangs is not started again before it ends', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-health-'));
  const database = await openDatabase(folder, null);
  t.after(async () => {
    await database.db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  let started = 0;
  let check = Promise.withResolvers<void>();
  const ready: FileStore['ready'] = () => {
    started++;
    return check.promise;
  };
  const files = { ready } as unknown as FileStore;
  const { db } = database;
  const health = createPlatformHealth({ db, database, files } as unknown as Platform);
  const failing = async (): Promise<readonly string[]> => {
    // The result of the last question has expired.
    now += 1_000;
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const read = health.read();
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    t.mock.timers.tick(2_000);
    t.mock.timers.reset();
    return (await read).failing;
  };
  assert.deepEqual(await failing(), ['store']);
  assert.deepEqual(await failing(), ['store']);
  assert.equal(started, 1);
  check.reject(new Error('down'));
  check = Promise.withResolvers();
  check.resolve();
  await new Promise(setImmediate);
  assert.deepEqual(await failing(), []);
  assert.equal(started, 2);
});
