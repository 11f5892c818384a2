// Which errors of PostgreSQL and SQLite mean that the database cannot be reached, and what the client is answered.
import { messageOf } from '@svc/contracts/caught';
import pg from 'pg';
import { failure } from '../failure.ts';

/**
 * Codes after which the connection is of no use: errors of the connection, a stopped server, too many connections, a
 * transaction that was idle for too long, and a server that has become read-only because another took over.
 */
const CONNECTION_CODES = /^(?:08...|57P0[1-5]|53300|25P0[34]|25006)$/;
/** Time limit of a statement; lack of memory or of another resource except the disk, which is `storage_full`; system errors. */
const OVERLOAD_CODES = /^(?:57014|53200|53400|58...)$/;
/** A lock that was not released in time, a serialization failure, a deadlock. The transaction has been rolled back. */
const CONFLICT_CODES = /^(?:55P03|40001|40P01)$/;
const DISK_FULL_CODE = '53100';

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
/** NOMEM, READONLY, IOERR, CANTOPEN. */
const SQLITE_OUTAGES: readonly (number | null)[] = [7, 8, 10, 14];

const CONNECTION_MESSAGES =
  /^(?:Connection terminated|Client (?:was closed|has encountered)|Query read timeout)/;
const SOCKET_CODES = /^(?:E[A-Z]+|ERR_STREAM_\w+|ERR_SOCKET_\w+|ERR_SSL_\w+)$/;

/** Returns whether the connection on which a statement failed must not be used again. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return CONNECTION_CODES.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return SOCKET_CODES.test(code) || CONNECTION_MESSAGES.test(error.message);
}

/** Returns whether a statement failed because the database cannot be reached or cannot keep up. */
export function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError && OVERLOAD_CODES.test(error.code ?? '')) return true;
  return isConnectionError(error) || SQLITE_OUTAGES.includes(sqliteCode(error));
}

/** Returns the primary result code of an error of SQLite, or null. Its low byte: the others state the details. */
function sqliteCode(error: unknown): number | null {
  const isSqlite = error instanceof Error && 'errcode' in error;
  return isSqlite && typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}

/**
 * Converts the error of a statement: `unavailable` for an outage, `busy` for a conflict with another transaction,
 * `storage_full` for a full disk. Returns other errors unchanged.
 */
export function toFailure(error: unknown): unknown {
  if (isOutage(error)) return unavailable(error);
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  if (CONFLICT_CODES.test(code)) {
    return busy('Another request is changing the same data. Try again', error);
  }
  if (sqliteCode(error) === SQLITE_BUSY) {
    return busy('Another program has locked the database. Try again', error);
  }
  if (code === DISK_FULL_CODE || sqliteCode(error) === SQLITE_FULL) {
    const message = 'Cannot store the change: the database has no disk space left';
    return failure('storage_full', message, { cause: error });
  }
  return error;
}

function busy(message: string, cause: unknown): Error {
  return failure('busy', message, { headers: { 'Retry-After': '1' }, cause });
}

/** Creates the error for a client while the database cannot be reached. */
export function unavailable(cause: unknown): Error {
  return failure('unavailable', 'The database cannot be reached now. Try again later', { cause });
}

/** Returns the message of an error for the operator. Node reports one error for each address of a host. */
export function reasonOf(error: unknown): string {
  return error instanceof AggregateError
    ? error.errors.map(messageOf).join('; ')
    : messageOf(error);
}
