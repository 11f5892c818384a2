import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import { ApiError } from '@svc/serve';
import { openDatabase } from '../database/open-database.ts';
import { failure } from '../failure.ts';
import { createFolderStore } from '../files/folder-store.ts';
import { type AttemptContext, inAttempt, openAttempt } from './attempt.ts';

const LEASE_MS = 12_000;

async function platformFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-in-attempt-'));
  const database = await openDatabase(folder, null);
  const { db } = database;
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  const files = createFolderStore(join(folder, 'projects'));
  const platform: AttemptContext = {
    ...{ db, database, files, attemptLeaseMs: LEASE_MS },
    log: NO_LOG,
  };
  return {
    ...{ platform, db, files },
    run: <Result>(work: Parameters<typeof inAttempt<Result>>[2]) =>
      inAttempt(platform, { gameId: 'game', kind: 'media' }, work),
    abandonAll: () => db.updateTable('attempts').set({ state: 'abandoned' }).execute(),
    async written(): Promise<string> {
      const path = join(folder, 'written');
      await writeFile(path, 'content');
      return path;
    },
  };
}

const isInterrupted = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.code === 'change_interrupted' &&
  /^Cannot update the store page: the server was stopped for too long/.test(error.message);

test('work that fails after its attempt was abandoned is reported as interrupted, with the cause', async (t) => {
  const { run, abandonAll } = await platformFor(t);
  const cause = new Error('ENOENT: its files were removed');
  const failed = run(async () => {
    await abandonAll();
    throw cause;
  });
  await assert.rejects(failed, (error: unknown) => {
    assert.ok(isInterrupted(error));
    assert.equal((error as Error).cause, cause);
    return true;
  });
});

test('other failures of the work are returned unchanged', async (t) => {
  const { run, abandonAll, platform, db } = await platformFor(t);
  const error = new Error('a bug');
  await assert.rejects(
    run(() => Promise.reject(error)),
    error,
    'the attempt is open',
  );
  const known = failure('quota_exceeded', 'The project would exceed its disk space');
  const refused = run(async () => {
    await abandonAll();
    throw known;
  });
  await assert.rejects(refused, known, 'the client is answered with the reason of the work');
  const committed = run(async (attempt) => {
    await attempt.commit(
      async () => {},
      async () => {},
    );
    throw error;
  });
  await assert.rejects(committed, error, 'the commit has succeeded');
  const unanswered = run(async () => {
    await abandonAll();
    t.mock.method(platform.db, 'selectFrom', () => {
      throw new Error('The database does not answer');
    });
    throw error;
  });
  await assert.rejects(unanswered, error);
  t.mock.restoreAll();
  await db.deleteFrom('attempts').execute();
});

test('an attempt that has ended sends no heartbeat, and stores nothing that was still queued', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { platform, db, files, written } = await platformFor(t);
  const attempt = await openAttempt(platform, 'game', 'publish');
  const stopped = t.mock.method(attempt.batch, 'stop');
  await attempt.batch.put(`game/${attempt.id}/a`, await written());
  await attempt[Symbol.asyncDispose]();
  assert.equal(stopped.mock.callCount(), 1);
  assert.deepEqual(await Array.fromAsync(files.list('game')), []);
  await assert.rejects(attempt.batch.put('game/late', await written()), /stopped/);
  const updates = t.mock.method(db, 'updateTable');
  t.mock.timers.tick(10 * LEASE_MS);
  assert.equal(updates.mock.callCount(), 0);
});
