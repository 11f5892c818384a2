// Makes a user an administrator, as the operator does on the command line.
import { PLATFORM_LIMITS, type Role } from '@svc/contracts/platform';
import type { Admin } from '../src/admin/act.ts';
import { editUser } from '../src/admin/change-user.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { readSettings } from '../src/index.ts';
import { addressesOf } from '../src/start/start-platform.ts';
import type { OpenPlatform, Person } from './open-platform.ts';

/** Where a platform has its database. */
export type Place = {
  readonly dataDir: string;
  readonly settings: { readonly databaseUrl: string | null };
};

/** Does the work as an operator. */
export async function asOperator<Result>(
  { dataDir, settings }: Place,
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const { db } = await openDatabase(dataDir, settings.databaseUrl);
  try {
    return await work({
      ...{ db, addresses: addressesOf(readSettings({})), limits: PLATFORM_LIMITS, now: Date.now },
      ...{ actor: { operator: 'root' }, caller: null },
    });
  } finally {
    await db.destroy();
  }
}

/** Gives a user a role. */
export async function giveRole(place: Place, uid: string, role: Role): Promise<void> {
  await asOperator(place, (admin) => editUser(admin, uid, { role }));
}

/** Makes a user an administrator, or signs one in with this name. */
export async function makeAdmin(platform: OpenPlatform, who: string | Person): Promise<Person> {
  const person = typeof who === 'string' ? await platform.person(who) : who;
  await giveRole(platform, person.uid, 'admin');
  return person;
}
