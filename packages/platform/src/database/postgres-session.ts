// One use of a pooled connection: a statement, or a transaction.
import type { PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { isConnectionError, isOutage, toFailure } from './database-failure.ts';
import type { Outages } from './outages.ts';

/** PostgreSQL ends a statement at the time limit. If its answer is this late, the connection is dropped. */
const MARGIN_MS = 500;
/** A connection that was closed while it was idle fails within this time. */
const STALE_MS = 250;
const TRIES = 20;

type SessionOptions = {
  readonly connect: () => Promise<pg.PoolClient>;
  readonly outages: Outages;
  /** The time limit of a statement in milliseconds. The wait for the connection counts towards that of the first one. */
  readonly timeoutMs: number;
  /** When the wait for the connection began, on the monotonic clock. */
  readonly startedAt: number;
};

export class PostgresSession implements PostgresPoolClient {
  #client: pg.PoolClient;
  readonly #options: SessionOptions;
  #isFresh = true;
  #isReleased = false;
  #broken: { readonly failure: unknown } | null = null;

  constructor(client: pg.PoolClient, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
  }

  query(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<never>>;
  query(cursor: never): never;
  async query(sql: string, parameters: readonly unknown[] = []): Promise<unknown> {
    if (this.#broken !== null) {
      // The server rolls back when the connection ends. The caller gets the first error, which is the cause.
      if (sql === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] };
      throw this.#broken.failure;
    }
    const { outages } = this.#options;
    try {
      const result = await this.#sendOrRepeat(sql, parameters);
      outages.ended();
      return result;
    } catch (error) {
      if (isOutage(error)) outages.began(error);
      const failure = toFailure(error);
      if (isConnectionError(error)) this.#broken = { failure };
      throw failure;
    } finally {
      this.#isFresh = false;
    }
  }

  release(destroy = false): void {
    if (!this.#isReleased) this.#client.release(destroy || this.#broken !== null);
    this.#isReleased = true;
  }

  /** The connection may have been closed while it was idle. A first statement that changes nothing is repeated on another. */
  async #sendOrRepeat(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    for (let left = TRIES; ; left--) {
      try {
        return await this.#send(sql, parameters);
      } catch (error) {
        const isHarmless = this.#isFresh && /^(?:select|begin)\b/.test(sql);
        const isStale = isConnectionError(error) && this.#elapsedMs() < STALE_MS;
        if (!isHarmless || !isStale || left === 0) throw error;
        this.release(true);
        this.#client = await this.#options.connect();
        this.#isReleased = false;
      }
    }
  }

  #send(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    const { timeoutMs } = this.#options;
    const waited = this.#isFresh ? Math.min(this.#elapsedMs(), timeoutMs) : 0;
    const query = {
      text: sql,
      values: [...parameters],
      query_timeout: timeoutMs + MARGIN_MS - waited,
    };
    return this.#client.query(query);
  }

  #elapsedMs(): number {
    return performance.now() - this.#options.startedAt;
  }
}
