// The key that signs the addresses of private media: made once, kept in the database, the same for every process on it.
import { randomBytes } from 'node:crypto';
import type { Db } from './schema.ts';

const NAME = 'media';
const KEY_BYTES = 32;

/** Reads the key. The first process on a database makes it. */
export async function readSigningKey(db: Db): Promise<Buffer> {
  const known = await findKey(db);
  if (known !== undefined) return known;
  // Where two processes start at once, both then read the key of the one that came first.
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
