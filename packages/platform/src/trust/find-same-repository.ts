// Finds the publishers of a project that name the same repository. They have the same id of it.
import type { PublishersTable, Trx } from '../database/schema.ts';
import { lowerAscii } from './match-publisher.ts';

type Named = Pick<PublishersTable, 'id' | 'game_id' | 'provider' | 'issuer' | 'repository'>;

/** Returns them. The publisher itself is among them if it is stored. The transaction has locked the game. */
export async function findSameRepository(
  trx: Trx,
  { id, game_id, provider, issuer, repository }: Named,
): Promise<PublishersTable[]> {
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
