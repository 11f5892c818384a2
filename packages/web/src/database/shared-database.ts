// The database that several processes of this site share. Every use is bounded in time.
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '@svc/contracts/caught';
import type { Log } from '@svc/observe';
import pg from 'pg';

/** How long a connection, and then a statement, may take. */
const CONNECT_MS = 2_000;
const STATEMENT_MS = 2_000;
/** How long connections may take to end. */
const CLOSE_MS = 1_000;
/** How long a statement at the start may take. It may wait for other processes that start. */
const START_MS = 20_000;
/** A statement that fails faster than this has met a connection that was cut before. */
const CUT_MS = 500;
const CONNECTIONS = 4;
/** Held while a process creates the table, because PostgreSQL can't create one twice at once. */
const CREATION_LOCK = 7_263_514_081;

/** The shared database did not do what was asked: it is down, it hangs, or it refused. */
class SharedDatabaseError extends Error {
  override readonly name = 'SharedDatabaseError';
}

type Rows = readonly Readonly<Record<string, unknown>>[];

export type SharedDatabase = AsyncDisposable & {
  /** Runs one statement and returns its rows. Throws a {@link SharedDatabaseError} within four seconds. */
  run(statement: string, values?: readonly unknown[]): Promise<Rows>;
  /** As `run`, for a statement that changes nothing. A pool learns late that a connection was cut, so it is run twice. */
  read(statement: string, values?: readonly unknown[]): Promise<Rows>;
};

/** A table that the site creates if it is missing. */
export type OwnTable = { readonly name: string; readonly create: readonly string[] };

/**
 * Opens the database at a postgres:// address and creates the table if it is missing. Throws a
 * {@link SharedDatabaseError} without the address, which contains a password. `log` receives a line when the database
 * fails, and one when it answers again.
 */
export async function openSharedDatabase(
  url: string,
  table: OwnTable,
  log: Log,
): Promise<SharedDatabase> {
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    keepAlive: true,
    stream: () => openSocket(sockets),
  });
  const close = (): Promise<void> => endPool(pool, sockets);
  // If PostgreSQL closes an idle connection, the pool replaces it. Without this listener the process would exit.
  pool.on('error', () => {});
  try {
    await createTable(pool, table);
  } catch (error) {
    await close();
    throw new SharedDatabaseError(
      `Cannot start: the database of SVC_WEB_DATABASE_URL can’t be used (${reasonOf(error)})`,
    );
  }
  const report = reportChanges(log);
  const run: SharedDatabase['run'] = async (statement, values = []) => {
    try {
      const { rows } = await pool.query(statement, [...values]);
      report(null);
      return rows;
    } catch (error) {
      report(reasonOf(error));
      throw new SharedDatabaseError('The shared database failed', { cause: error });
    }
  };
  return {
    run,
    read(statement, values) {
      const startedAt = performance.now();
      return run(statement, values).catch((error: unknown) => {
        if (performance.now() - startedAt > CUT_MS) throw error;
        return run(statement, values);
      });
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A user without the right to create tables can use a table that exists. */
async function createTable(pool: pg.Pool, { name, create }: OwnTable): Promise<void> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    // The types of the driver lack this option.
    const patient = { query_timeout: START_MS };
    const run = (text: string, values: unknown[] = []) =>
      client.query({ text, values, ...patient });
    await run('begin');
    await run('select pg_advisory_xact_lock($1)', [CREATION_LOCK]);
    const { rows } = await run('select to_regclass($1) is null as missing', [name]);
    if (rows[0]?.missing === true) for (const statement of create) await run(statement);
    await run('commit');
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(failure);
  }
}

function openSocket(sockets: Set<Socket>): Socket {
  const socket = new Socket();
  sockets.add(socket);
  return socket.once('close', () => sockets.delete(socket));
}

/** A database that hangs does not close its side of a connection. */
async function endPool(pool: pg.Pool, sockets: ReadonlySet<Socket>): Promise<void> {
  const ended = pool.end();
  await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
  for (const socket of sockets) socket.destroy();
  await ended;
}

/** Returns a function that logs when the state changes: a reason for a failure, or null for an answer. */
function reportChanges(log: Log): (reason: string | null) => void {
  let failing = false;
  return (reason) => {
    if (failing === (reason !== null)) return;
    failing = reason !== null;
    if (failing) {
      log.warn(`the database of SVC_WEB_DATABASE_URL fails (${reason}). Sessions can’t be renewed`);
    } else log.info('the database of SVC_WEB_DATABASE_URL answers again');
  };
}

/** A code of the system or of PostgreSQL. Messages may contain parts of the address. */
function reasonOf(error: unknown): string {
  return codeOf(error) || 'no answer in time';
}
