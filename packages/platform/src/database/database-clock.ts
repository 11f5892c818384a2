// The clock of the database, which all processes on it share.
import { type RawBuilder, sql } from 'kysely';
import type { OpenDatabase } from './open-database.ts';

/** Returns the expression for the current time in milliseconds since 1970, by the clock of the database. */
export function databaseNow(engine: OpenDatabase['engine']): RawBuilder<number> {
  return engine === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
