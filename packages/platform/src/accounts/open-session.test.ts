// The provider updates a user while the user edits the profile.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { NO_BLOCKED_WORDS } from '../blocked-words.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Db } from '../database/schema.ts';
import type { Platform } from '../platform.ts';
import { eraseAccount } from './delete-account.ts';
import { openSession } from './open-session.ts';

const plain = {
  ...{ idToken: 'x', wantsDeveloper: false, device: undefined },
  signUp: (create: () => Promise<boolean>) => create(),
};

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

/** A database in a folder of the test, and a platform on it. */
async function openEmpty(t: TestContext, open: boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-session-'));
  const { db } = await openDatabase(folder, null);
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  const signingKey = Buffer.alloc(32);
  const signUp = { open, allowed: [] };
  const parts = { db, signUp, signingKey, blockedWords: NO_BLOCKED_WORDS, now: Date.now };
  const platform = parts as unknown as Platform;
  return { db, platform };
}

test('a name that is edited while a session opens is kept; the next session updates the e-mail address', async (t) => {
  const { db, platform } = await openEmpty(t, false);
  const reported = {
    issuerKey: 'https://id.example',
    sub: 'ada',
    sid: null,
    issuedAt: Date.now(),
    endsAt: Date.now() + 60_000,
  };
  const { uid } = await openSession(platform, { ...reported, name: 'Before', email: null }, plain);
  const edit = () => db.updateTable('users').set({ name: 'Chosen', name_edited: 1 }).execute();
  const after = { ...reported, name: 'After', email: 'ada@x.example' };
  const kept = async () =>
    db.selectFrom('users').select(['uid', 'name', 'email']).executeTakeFirstOrThrow();
  await openSession({ ...platform, db: withBefore(db, edit) }, after, plain);
  assert.equal((await kept()).name, 'Chosen');
  await openSession(platform, after, plain);
  assert.deepEqual({ ...(await kept()) }, { uid, name: 'Chosen', email: 'ada@x.example' });
});

const SIGN_IN = {
  ...{ issuerKey: 'https://id.example', sub: 'ada', sid: null, name: 'Ada', email: null },
  ...{ issuedAt: Date.now(), endsAt: Date.now() + 60_000 },
};

test('a role that an administrator chooses while a session opens is kept', async (t) => {
  const { db, platform } = await openEmpty(t, true);
  const { uid } = await openSession(platform, SIGN_IN, plain);
  const choose = () => db.updateTable('users').set({ role_chosen_at: Date.now() }).execute();
  const wanted = { ...plain, wantsDeveloper: true };
  const user = await openSession({ ...platform, db: withBefore(db, choose) }, SIGN_IN, wanted);
  assert.equal(user.role, 'player');
  const records = await db
    .selectFrom('audit')
    .select('action')
    .where('subject', '=', uid)
    .execute();
  assert.deepEqual(records, []);
});

test('a user who is suspended while a session opens is rejected, and is not found', async (t) => {
  const { db, platform } = await openEmpty(t, true);
  await openSession(platform, SIGN_IN, { ...plain, wantsDeveloper: true });
  const suspend = async () => {
    await db.updateTable('users').set({ suspended_at: Date.now() }).execute();
    await db.deleteFrom('search_terms').execute();
  };
  const renamed = { ...SIGN_IN, name: 'Grace' };
  await assert.rejects(openSession({ ...platform, db: withBefore(db, suspend) }, renamed, plain), {
    code: 'account_suspended',
  });
  assert.deepEqual(await db.selectFrom('search_terms').selectAll().execute(), []);
});

test('an account that is deleted while a session opens stays deleted, without a name, a role and notices', async (t) => {
  const { db, platform } = await openEmpty(t, true);
  const { uid } = await openSession(platform, SIGN_IN, plain);
  const renamed = { ...SIGN_IN, name: 'Grace', email: 'grace@x.example' };
  // Before the update of the name, and before the notice.
  for (const step of [1, 2]) {
    const identity = { ...renamed, sub: `ada-${step}` };
    const user = await openSession(platform, { ...identity, name: 'Ada', email: null }, plain);
    let transactions = 0;
    const erase = async () => {
      if (++transactions !== step) return;
      await db.transaction().execute(async (trx) => {
        await eraseAccount(trx, user, { actor: { uid: user.uid }, now: identity.issuedAt });
      });
    };
    const opening = openSession({ ...platform, db: withBefore(db, erase) }, identity, {
      ...plain,
      idToken: `other ${step}`,
      wantsDeveloper: true,
    });
    await assert.rejects(opening, { code: 'session_ended' });
    const kept = await db
      .selectFrom('users')
      .select(['name', 'email', 'role'])
      .where('uid', '=', user.uid)
      .executeTakeFirstOrThrow();
    assert.deepEqual({ ...kept }, { name: 'Deleted user', email: null, role: 'player' });
  }
  const notices = await db.selectFrom('notices').select('uid').where('uid', '<>', uid).execute();
  assert.deepEqual(notices, []);
  await assert.rejects(openSession(platform, { ...SIGN_IN, sub: 'ada-1' }, plain), {
    code: 'session_ended',
  });
});
