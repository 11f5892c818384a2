// Finds the publishers of a project that name the same repository. They have the same id of it.
import type { PublishersTable, Trx } from '../database/schema.ts';
import { lowerAscii } from './match-publisher.ts';

type Named = Pick<PublishersTable, 'id' | 'game_id' | 'provider' | 'issuer' | 'repository'>;

/** Returns them and locks them until the transaction ends. The publisher itself is among them if it is stored. */
export async function findSameRepository(
  trx: Trx,
  { id, game_id, provider, issuer, repository }: Named,
): Promise<PublishersTable[]> {
  // An update without a change locks the rows on both engines. The game is locked before, so there is no deadlock.
  await trx
    .updateTable('games')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', game_id)
    .execute();
  const rows = await trx
    .selectFrom('publishers')
    .selectAll()
    .where('game_id', '=', game_id)
    .where('provider', '=', provider)
    .where('issuer', '=', issuer)
    .orderBy('id')
    .execute();
  if (repository === null) return rows.filter((row) => row.id === id);
  const name = lowerAscii(repository);
  return rows.filter((row) => row.repository !== null && lowerAscii(row.repository) === name);
}
