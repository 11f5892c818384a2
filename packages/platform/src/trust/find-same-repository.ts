// Finds the publishers of a project that name the same repository. They have the same id of it.
import type { PublishersTable } from '../database/schema.ts';
import { lowerAscii } from './match-publisher.ts';

type Named = Pick<PublishersTable, 'id' | 'provider' | 'issuer' | 'repository'>;

/** Returns those of the publishers of a project. The publisher itself is among them if it is one of these. */
export function findSameRepository(
  publishers: readonly PublishersTable[],
  { id, provider, issuer, repository }: Named,
): PublishersTable[] {
  if (repository === null) return publishers.filter((row) => row.id === id);
  const name = lowerAscii(repository);
  return publishers.filter(
    (row) =>
      row.provider === provider &&
      row.issuer === issuer &&
      row.repository !== null &&
      lowerAscii(row.repository) === name,
  );
}
