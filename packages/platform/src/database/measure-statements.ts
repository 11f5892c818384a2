// Counts and times the statements of the database.
import type { LogEvent } from 'kysely';
import { codeOf, type Metrics } from '../metrics/metrics.ts';
import { isUniqueViolation } from './open-database.ts';

/** `SelectQueryNode` → `select`. */
const KIND = /^(Select|Insert|Update|Delete)QueryNode$/;

/** Returns the function to which Kysely passes each statement. */
export function measureStatements({
  statement,
  databaseErrors,
}: Pick<Metrics, 'statement' | 'databaseErrors'>): (event: LogEvent) => void {
  return (event) => {
    const kind = KIND.exec(event.query.query.kind)?.[1]?.toLowerCase() ?? 'other';
    statement.observe({ kind }, event.queryDurationMillis / 1000);
    if (event.level !== 'error') return;
    const code = isUniqueViolation(event.error) ? 'constraint' : codeOf(event.error);
    databaseErrors.inc({ code });
  };
}
