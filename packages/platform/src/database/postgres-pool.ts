// The pool of connections to PostgreSQL. Every wait has a bound, so that a server that hangs does not hang requests.
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { unavailable } from './database-failure.ts';
import type { Outages } from './outages.ts';
import { PostgresSession } from './postgres-session.ts';

const BIGINT_OID = 20;
const KEEP_ALIVE_MS = 10_000;
/** A process that stalls in a transaction loses it, and its locks, after this multiple of the time limit. */
const IDLE_IN_TRANSACTION_FACTOR = 2;
/** A wait for a lock ends earlier than its statement, so that the error names the lock. */
const LOCK_SHARE = 0.75;
const END_MS = 2_000;

export type PostgresOptions = {
  readonly url: string;
  /** The most connections of the pool. */
  readonly connections: number;
  /** The time limit in milliseconds for getting a connection and for a statement. A wait for a lock has three quarters of it. */
  readonly timeoutMs: number;
};

/** Returns the options of a connection whose statements have no time limit, such as those of migrations. */
export function connectionOptions({
  url,
  timeoutMs,
}: Omit<PostgresOptions, 'connections'>): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    fallback_application_name: 'svc-platform',
    types: TYPES,
  };
}

/** The connections of a pool now, and the calls that wait for one. */
export type PoolUse = {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
};

const TYPES: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: unknown) {
    if (oid === BIGINT_OID) return Number;
    return format === 'binary'
      ? pg.types.getTypeParser(oid, 'binary')
      : pg.types.getTypeParser(oid);
  },
};

/**
 * Creates the pool. It connects when a connection is needed, and throws `unavailable` if that is not possible in time. Then
 * `onNoConnection` is called with the error.
 */
export function createPostgresPool(
  options: PostgresOptions,
  outages: Outages,
  onNoConnection: (error: Error) => void = () => {},
): PostgresPool & { readonly use: PoolUse } {
  const { timeoutMs } = options;
  const streams = new Set<Duplex>();
  const pool = new pg.Pool({
    ...connectionOptions(options),
    max: options.connections,
    statement_timeout: timeoutMs,
    lock_timeout: Math.round(timeoutMs * LOCK_SHARE),
    idle_in_transaction_session_timeout: timeoutMs * IDLE_IN_TRANSACTION_FACTOR,
  });
  // A connection that PostgreSQL closes is replaced. Without these listeners the process would exit.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    const { stream } = client.connection;
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
  });
  const connect = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      outages.began(error);
      const failure = unavailable(error);
      onNoConnection(failure);
      throw failure;
    }
  };
  return {
    options: pool.options,
    use: {
      get busy() {
        return pool.totalCount - pool.idleCount;
      },
      get idle() {
        return pool.idleCount;
      },
      get waiting() {
        return pool.waitingCount;
      },
    },
    connect: async () => {
      const startedAt = performance.now();
      return new PostgresSession(await connect(), { connect, outages, timeoutMs, startedAt });
    },
    async end() {
      const ended = pool.end();
      await Promise.race([ended, setTimeout(END_MS, undefined, { ref: false })]);
      // A server that hangs does not close its side of a connection.
      for (const stream of streams) stream.destroy();
      await ended;
    },
  };
}
