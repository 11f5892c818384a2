// Remembers for some days who has deleted an account, so that an ID token from before does not create it again.
import { hashSecret } from '../access/hash-secret.ts';
import type { Identity } from '../access/verify-id-token.ts';
import type { Trx } from '../database/schema.ts';

const DAY_MS = 24 * 3600 * 1000;
/** ID tokens are valid for a shorter time. */
const KEPT_MS = 30 * DAY_MS;

/** An account at an identity provider. */
type Subject = Pick<Identity, 'issuerKey' | 'sub'>;

/** Notes that the account was deleted at this time, in milliseconds since 1970. Only a hash of the subject is stored. */
export async function noteDeleted(trx: Trx, subject: Subject, at: number): Promise<void> {
  const row = { at, until: at + KEPT_MS };
  await trx
    .insertInto('ended_sessions')
    .values({ hash: hashOf(subject), ...row })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet(row))
    .execute();
}

/** Returns when the owner of an identity last deleted an account, in milliseconds since 1970. Null if that is not known. */
export async function findDeletion(trx: Trx, subject: Subject): Promise<number | null> {
  const row = await trx
    .selectFrom('ended_sessions')
    .select('at')
    .where('hash', '=', hashOf(subject))
    .executeTakeFirst();
  return row?.at ?? null;
}

function hashOf({ issuerKey, sub }: Subject): string {
  return hashSecret(JSON.stringify(['deleted', issuerKey, sub]));
}
