// Search: finds a bounded number of candidates by their words, newest first, then ranks them by their names.
import { setImmediate } from 'node:timers/promises';
import type { GamesTable, SearchTermsTable, UsersTable } from '../database/schema.ts';
import { searchTerms } from '../database/search-index.ts';
import type { Platform } from '../platform.ts';
import { findGamesInOrder } from './find-games.ts';

/** The largest number of candidates. It bounds the time of a search to a few milliseconds for any size of the catalog. */
const CANDIDATES = 300;
const TERMS = 5;
/** From this length on, the last word of the query is also a prefix. */
const PREFIX_CHARACTERS = 2;
const LAST_CHARACTER = '\u{10ffff}';

type Kind = SearchTermsTable['kind'];
/** A word of the query. With `asPrefix` it also matches longer words that start with it. */
type Word = { readonly text: string; readonly asPrefix: boolean };
type Named = { readonly id: string; readonly name: string; readonly at: number };

type Found = { readonly games: GamesTable[]; readonly developers: UsersTable[] };

/**
 * Finds published games by title and tag and developers by name, best match first, at most `limit` of each. SQLite blocks the
 * thread, so the search yields to other requests between its queries.
 */
export async function search(platform: Platform, text: string, limit: number): Promise<Found> {
  const terms = searchTerms(text).slice(0, TERMS);
  if (terms.length === 0) return { games: [], developers: [] };
  const games = rank(
    await readGameNames(platform, await findCandidates(platform, 'game', terms)),
    terms,
  );
  await setImmediate();
  const people = rank(
    await readDeveloperNames(platform, await findCandidates(platform, 'developer', terms)),
    terms,
  );
  return {
    games: await findGamesInOrder(platform.db, games.slice(0, limit)),
    developers: await findPeople(platform, people.slice(0, limit)),
  };
}

/** Returns the ids that have all words. The last word is also a prefix. */
async function findCandidates(
  platform: Platform,
  kind: Kind,
  terms: readonly string[],
): Promise<string[]> {
  const words = terms.map((text, index) => ({ text, asPrefix: index === terms.length - 1 }));
  const lists = await Promise.all(words.map((word) => findByWord(platform, kind, word)));
  await setImmediate();
  const order = lists.map((_, index) => index).sort((a, b) => sizeOf(lists, a) - sizeOf(lists, b));
  const [rarest = 0, ...others] = order;
  let candidates = lists[rarest] ?? [];
  for (const word of others.flatMap((index) => words[index] ?? [])) {
    await setImmediate();
    candidates = await filterByWord(platform, kind, candidates, word);
  }
  return candidates;
}

function sizeOf(lists: readonly string[][], index: number): number {
  return lists[index]?.length ?? 0;
}

async function findByWord(
  { db }: Platform,
  kind: Kind,
  { text: term, asPrefix }: Word,
): Promise<string[]> {
  const exact = await db
    .selectFrom('search_terms')
    .select('subject_id')
    .where('kind', '=', kind)
    .where('term', '=', term)
    .orderBy('at', 'desc')
    .orderBy('subject_id', 'desc')
    .limit(CANDIDATES)
    .execute();
  const ids = exact.map((row) => row.subject_id);
  if (!asPrefix || term.length < PREFIX_CHARACTERS || ids.length === CANDIDATES) return ids;
  const longer = await db
    .selectFrom('search_terms')
    .select('subject_id')
    .where('kind', '=', kind)
    .where('term', '>', term)
    .where('term', '<', `${term}${LAST_CHARACTER}`)
    .orderBy('term')
    .limit(CANDIDATES - ids.length)
    .execute();
  return [...new Set([...ids, ...longer.map((row) => row.subject_id)])];
}

async function filterByWord(
  { db }: Platform,
  kind: Kind,
  ids: readonly string[],
  { text: term, asPrefix }: Word,
): Promise<string[]> {
  if (ids.length === 0) return [];
  let query = db
    .selectFrom('search_terms')
    .select('subject_id')
    .where('subject_id', 'in', ids)
    .where('kind', '=', kind);
  query =
    asPrefix && term.length >= PREFIX_CHARACTERS
      ? query.where('term', '>=', term).where('term', '<', `${term}${LAST_CHARACTER}`)
      : query.where('term', '=', term);
  const found = new Set((await query.execute()).map((row) => row.subject_id));
  return ids.filter((id) => found.has(id));
}

async function readGameNames({ db }: Platform, ids: readonly string[]): Promise<Named[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('games')
    .select(['id', 'title as name', 'published_at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, name, published_at }) => ({ id, name, at: published_at ?? 0 }));
}

async function readDeveloperNames({ db }: Platform, ids: readonly string[]): Promise<Named[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('users')
    .select(['uid as id', 'name', 'created_at as at'])
    .where('uid', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute();
}

async function findPeople({ db }: Platform, uids: readonly string[]): Promise<UsersTable[]> {
  if (uids.length === 0) return [];
  const rows = await db.selectFrom('users').selectAll().where('uid', 'in', uids).execute();
  const byUid = new Map(rows.map((user) => [user.uid, user]));
  return uids.flatMap((uid) => byUid.get(uid) ?? []);
}

/** Sorts ids by the score of their names, then newest first. */
function rank(found: readonly Named[], terms: readonly string[]): string[] {
  const scored = found.map((one) => ({ one, score: scoreName(one.name, terms) }));
  scored.sort((a, b) => b.score - a.score || b.one.at - a.one.at || (a.one.id < b.one.id ? 1 : -1));
  return scored.map(({ one }) => one.id);
}

/**
 * Scores a name for a query: 4 if it has the same words in the same order, 3 if it starts with them, plus up to 1 for the
 * share of the query's words in the name, plus up to 1 for the share of the name's words in the query.
 */
export function scoreName(name: string, terms: readonly string[]): number {
  const words = searchTerms(name);
  const wanted = terms.join(' ');
  const joined = words.join(' ');
  const whole = joined === wanted ? 4 : joined.startsWith(wanted) ? 3 : 0;
  const matching = terms.filter((term) => words.includes(term)).length;
  return whole + matching / terms.length + (words.length === 0 ? 0 : matching / words.length);
}
