// The search terms of published games and developers. They are updated with the rows that they refer to.
import type { GamesTable, Trx, UsersTable } from './schema.ts';

const TERMS_PER_SUBJECT = 40;
const TERM_CHARACTERS = 40;

/** Returns the words of a text in lower case, without accents. A word consists of letters and digits of any script. */
export function searchTerms(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => [...word].slice(0, TERM_CHARACTERS).join('')))].slice(
    0,
    TERMS_PER_SUBJECT,
  );
}

/** Updates the search terms of a developer. A player and a suspended developer have none. */
export async function indexDeveloper(trx: Trx, user: UsersTable): Promise<void> {
  const developer = { kind: 'developer', id: user.uid, at: user.created_at } as const;
  const isFound = user.role !== 'player' && user.suspended_at === null;
  await replaceTerms(trx, developer, isFound ? searchTerms(user.name) : []);
}

/** Updates the search terms and tags of a published game. Removes those of a draft. */
export async function indexGame(trx: Trx, game: GamesTable): Promise<void> {
  const tags: string[] = JSON.parse(game.tags);
  const publishedAt = game.status === 'published' ? game.published_at : null;
  await trx.deleteFrom('game_tags').where('game_id', '=', game.id).execute();
  if (publishedAt === null) {
    await replaceTerms(trx, { kind: 'game', id: game.id, at: 0 }, []);
    return;
  }
  await replaceTerms(
    trx,
    { kind: 'game', id: game.id, at: publishedAt },
    searchTerms([game.title, ...tags].join(' ')),
  );
  if (tags.length === 0) return;
  const { id: game_id, category } = game;
  await trx
    .insertInto('game_tags')
    .values(tags.map((tag) => ({ game_id, tag, category, published_at: publishedAt })))
    .execute();
}

/** A game or developer. `at` sorts candidates of a search, newest first. */
type Subject = {
  readonly kind: 'game' | 'developer';
  readonly id: string;
  readonly at: number;
};

async function replaceTerms(
  trx: Trx,
  { kind, id, at }: Subject,
  terms: readonly string[],
): Promise<void> {
  await trx
    .deleteFrom('search_terms')
    .where('subject_id', '=', id)
    .where('kind', '=', kind)
    .execute();
  if (terms.length === 0) return;
  await trx
    .insertInto('search_terms')
    .values(terms.map((term) => ({ kind, subject_id: id, term, at })))
    .execute();
}
