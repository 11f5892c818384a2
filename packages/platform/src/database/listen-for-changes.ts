// Hears of changed games from PostgreSQL, on one connection. A trigger on `games` notifies of each change.
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '@svc/observe';
import pg from 'pg';
import { type Changes, createHeard, type Heard } from './changes.ts';
import { reasonOf } from './database-failure.ts';
import { connectionOptions, type PostgresOptions } from './postgres-pool.ts';

/** The channel of the trigger. The payload is the slug of the game. */
const GAMES_CHANNEL = 'svc_games';

const BEAT_MS = 250;
/** A connection on which no beat has come back for this long is replaced. */
const SILENCE_MS = 3_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
const END_MS = 500;
/** The operator is informed when this many connections in a row have failed. */
const FAILURES_LOGGED = 3;

type ListenerOptions = Omit<PostgresOptions, 'connections'> & {
  readonly log: Log;
};

/** Listens until it is disposed of. Connects again when the connection is lost. */
export function listenForChanges(options: ListenerOptions): Changes & AsyncDisposable {
  const heard = createHeard();
  const ending = new AbortController();
  const running = keepListening(options, heard, ending.signal);
  return {
    ...heard,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running;
    },
  };
}

async function keepListening(
  options: ListenerOptions,
  heard: Heard,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const onBeat = (): void => {
      if (failures >= FAILURES_LOGGED) options.log.info('notifications of PostgreSQL arrive again');
      failures = 0;
    };
    const reason = await listen(options, heard, signal, onBeat).catch(reasonOf);
    heard.restart();
    if (++failures === FAILURES_LOGGED && !signal.aborted) {
      options.log.warn(
        `no notifications of PostgreSQL arrive: ${reason}. Play queries the database for each request`,
      );
    }
    const wait = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
    await pause(wait, signal);
  }
}

/** Listens on one connection until it is lost or the signal is aborted. */
async function listen(
  options: ListenerOptions,
  heard: Heard,
  signal: AbortSignal,
  onBeat: () => void,
): Promise<string> {
  const client = new pg.Client({
    ...connectionOptions(options),
    fallback_application_name: 'svc-platform-listener',
    query_timeout: SILENCE_MS,
  });
  const beats = `svc_beat_${randomBytes(8).toString('hex')}`;
  let heardAt = performance.now();
  client.on('notification', ({ channel, payload = '' }) => {
    if (channel === GAMES_CHANNEL) heard.changed(payload);
    if (channel !== beats) return;
    heard.hearBeat(Number(payload));
    heardAt = performance.now();
    onBeat();
  });
  // The next statement fails too, and reports the error.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(`listen ${GAMES_CHANNEL}; listen ${beats}`);
    // What was read before now is not guarded by this connection.
    heard.restart();
    while (!signal.aborted) {
      await client.query(`notify ${beats}, '${heard.sendBeat()}'`);
      if (performance.now() - heardAt > SILENCE_MS) return 'they are not delivered';
      await pause(BEAT_MS, signal);
    }
    return '';
  } finally {
    // A server that hangs does not answer to the end of a connection.
    await Promise.race([client.end(), setTimeout(END_MS, undefined, { ref: false })]);
    client.connection.stream.destroy();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal, ref: false }).catch(() => {});
}
