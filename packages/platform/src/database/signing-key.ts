// The key that signs the addresses of private media. It is stored in the database, so all processes have the same key.
import { randomBytes } from 'node:crypto';
import type { Db } from './schema.ts';

const NAME = 'media';
const KEY_BYTES = 32;

/** Reads the key. The first process on a database creates it. */
export async function readSigningKey(db: Db): Promise<Buffer> {
  const known = await findKey(db);
  if (known !== undefined) return known;
  // If two processes start at the same time, both read the key that was inserted first.
  await db
    .insertInto('secrets')
    .values({ name: NAME, value: randomBytes(KEY_BYTES).toString('base64url') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const made = await findKey(db);
  if (made === undefined) throw new Error('Cannot read the signing key that was just stored');
  return made;
}

async function findKey(db: Db): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirst();
  return row === undefined ? undefined : Buffer.from(row.value, 'base64url');
}
