// A condition: a column contains a text, in any case.
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Returns the condition. Characters with a meaning for LIKE mean themselves. SQLite knows the cases of ASCII letters only, so the text is
 * also searched as it is written.
 */
export function containing(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${escapeLike(text)}%`;
  return sql<SqlBool>`(lower(${sql.ref(column)}) like ${pattern.toLowerCase()} escape '\\' or ${sql.ref(column)} like ${pattern} escape '\\')`;
}

/** Returns the condition that a column begins with a text of ASCII characters. */
export function beginningWith(column: string, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} like ${`${escapeLike(text)}%`} escape '\\'`;
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
