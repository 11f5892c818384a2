// The provider updates a user while the user edits the profile.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../database/open-database.ts';
import type { Db } from '../database/schema.ts';
import type { Platform } from '../platform.ts';
import { openSession } from './open-session.ts';

/** The database. `before` runs before each transaction, as a concurrent request would. */
function withBefore(db: Db, before: () => Promise<unknown>): Db {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') {
        return () => ({
          async execute<T>(work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) {
            await before();
            return target.transaction().execute(work) as Promise<T>;
          },
        });
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('a name that is edited while a session opens is kept; the next session updates the e-mail address', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-session-'));
  const { db } = await openDatabase(folder, null);
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  const signUp = { open: false, allowed: [] };
  const platform = { db, signUp, now: Date.now } as unknown as Platform;
  const reported = {
    issuerKey: 'https://id.example',
    sub: 'ada',
    issuedAt: Date.now(),
    endsAt: Date.now() + 60_000,
  };
  const { uid } = await openSession(platform, { ...reported, name: 'Before', email: null }, false);
  const edit = () => db.updateTable('users').set({ name: 'Chosen', name_edited: 1 }).execute();
  const after = { ...reported, name: 'After', email: 'ada@x.example' };
  const kept = async () =>
    db.selectFrom('users').select(['uid', 'name', 'email']).executeTakeFirstOrThrow();
  await openSession({ ...platform, db: withBefore(db, edit) }, after, false);
  assert.equal((await kept()).name, 'Chosen');
  await openSession(platform, after, false);
  assert.deepEqual({ ...(await kept()) }, { uid, name: 'Chosen', email: 'ada@x.example' });
});
