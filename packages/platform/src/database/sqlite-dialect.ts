// A Kysely dialect for Node's SQLite, and the function that opens a database file with durable commits.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { NO_LOG } from '@svc/observe';
import { SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { isOutage, toFailure } from './database-failure.ts';
import { createOutages, type Outages } from './outages.ts';

const CACHED_STATEMENTS = 256;

/** Opens the file with WAL, durable commits and foreign keys. Statements wait up to five seconds for another process's write. */
export function openSqliteFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  return database;
}

/** The dialect for an open file. Unlike Kysely's own, it runs migrations in a transaction, which SQLite supports. */
export class NodeSqliteDialect extends SqliteDialect {
  /**
   * `onWrite` is called for every statement that may change data. Statements throw `busy` if another program has locked the
   * file for longer than the time limit, `unavailable` if it cannot be read or written, and `storage_full`.
   */
  constructor(
    database: DatabaseSync,
    onWrite: () => void,
    outages: Outages = createOutages(NO_LOG),
  ) {
    super({ database: adaptDatabase(database, onWrite, guardWith(outages)) });
  }
  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
}

class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Runs a part of a statement. Converts its error, and notes whether the file can be used. */
type Guard = <Result>(work: () => Result) => Result;

function guardWith(outages: Outages): Guard {
  return (work) => {
    try {
      const result = work();
      outages.ended();
      return result;
    } catch (error) {
      if (isOutage(error)) outages.began(error);
      throw toFailure(error);
    }
  };
}

function adaptDatabase(database: DatabaseSync, onWrite: () => void, guard: Guard): SqliteDatabase {
  const statements = new LRUCache<string, SqliteStatement>({ max: CACHED_STATEMENTS });
  return {
    close() {
      statements.clear();
      database.close();
    },
    prepare(wanted) {
      // A transaction takes the write lock at once. If it read first, its first write could fail because of another process.
      const sql = wanted === 'begin' ? 'begin immediate' : wanted;
      const known = statements.get(sql);
      if (known !== undefined) return known;
      if (sql === 'rollback') return rollbackOf(database);
      const isRead = /^\s*select\b/i.test(sql);
      const prepared = guard(() => database.prepare(sql));
      const statement = adaptStatement(prepared, isRead ? () => {} : onWrite, guard);
      statements.set(sql, statement);
      return statement;
    },
  };
}

/** SQLite rolls back by itself if the disk is full. A second rollback would fail and hide the cause. */
function rollbackOf(database: DatabaseSync): SqliteStatement {
  return {
    reader: false,
    all: () => [],
    run() {
      if (database.isTransaction) database.exec('rollback');
      return { changes: 0, lastInsertRowid: 0 };
    },
    iterate: () => [][Symbol.iterator](),
  };
}

function adaptStatement(
  statement: StatementSync,
  beforeRun: () => void,
  guard: Guard,
): SqliteStatement {
  const prepare = (values: readonly unknown[]): readonly SQLInputValue[] => {
    beforeRun();
    return values as readonly SQLInputValue[];
  };
  return {
    reader: statement.columns().length > 0,
    all: (values) => guard(() => statement.all(...prepare(values))),
    run: (values) => guard(() => statement.run(...prepare(values))),
    iterate: (values) => guard(() => statement.iterate(...prepare(values))),
  };
}
