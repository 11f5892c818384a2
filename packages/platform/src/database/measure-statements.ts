// Counts and times the statements of the database, and records them in traces.
import { recordSpan } from '@svc/observe';
import type { LogEvent } from 'kysely';
import { codeOf, type Metrics } from '../metrics/metrics.ts';
import { isUniqueViolation } from './open-database.ts';

/** `SelectQueryNode` → `select`. */
const KIND = /^(Select|Insert|Update|Delete)QueryNode$/;

/** Returns the function to which Kysely passes each statement. */
export function measureStatements(
  { statement, databaseErrors }: Pick<Metrics, 'statement' | 'databaseErrors'>,
  engine: 'sqlite' | 'postgresql',
): (event: LogEvent) => void {
  return (event) => {
    const kind = KIND.exec(event.query.query.kind)?.[1]?.toLowerCase() ?? 'other';
    const ms = event.queryDurationMillis;
    statement.observe({ kind }, ms / 1000);
    recordSpan(`database ${kind}`, {
      ms,
      // The text has no values.
      attributes: { 'db.system.name': engine, 'db.query.text': event.query.sql },
      isFailed: event.level === 'error',
    });
    if (event.level !== 'error') return;
    const code = isUniqueViolation(event.error) ? 'constraint' : codeOf(event.error);
    databaseErrors.inc({ code });
  };
}
