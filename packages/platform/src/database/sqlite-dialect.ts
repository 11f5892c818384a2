// A Kysely dialect for Node's SQLite, and the function that opens a database file with durable commits.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';

const CACHED_STATEMENTS = 256;

/** Opens the file with WAL, durable commits and foreign keys. Statements wait up to five seconds for another process's write. */
export function openSqliteFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  return database;
}

/** The dialect for an open file. Unlike Kysely's own, it runs migrations in a transaction, which SQLite supports. */
export class NodeSqliteDialect extends SqliteDialect {
  /** `onWrite` is called for every statement that may change data. */
  constructor(database: DatabaseSync, onWrite: () => void) {
    super({ database: adaptDatabase(database, onWrite) });
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

function adaptDatabase(database: DatabaseSync, onWrite: () => void): SqliteDatabase {
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
      const statement = adaptStatement(database.prepare(sql), isRead ? () => {} : onWrite);
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

function adaptStatement(statement: StatementSync, beforeRun: () => void): SqliteStatement {
  const prepare = (values: readonly unknown[]): SQLInputValue[] => {
    beforeRun();
    return values.map(inputValue);
  };
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...prepare(values)),
    run: (values) => statement.run(...prepare(values)),
    iterate: (values) => statement.iterate(...prepare(values)),
  };
}

function inputValue(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  if (value === undefined) return null;
  return value as SQLInputValue;
}
