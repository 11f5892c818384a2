// A condition: a column contains a text, in any case.
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Returns the condition. Characters with a meaning for LIKE mean themselves. */
export function containing(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}
