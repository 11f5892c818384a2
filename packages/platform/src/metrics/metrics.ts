// What the platform counts and times for its operator. docs/operations.md lists it.
import { createHttpMetrics, inSpan } from '@svc/observe';
import { ApiError } from '@svc/serve';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** From a row in memory to a lock that is waited for. */
const STATEMENT_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
const FILE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];
/** From a small build to a slow upload. */
const PHASE_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/** Codes of what fails because of the server. Alerts notice the first one, because their counts begin with 0. */
const OUTAGES = ['unavailable', 'busy', 'storage_full', 'other'];
const FILE_OPERATIONS = ['open', 'read', 'create', 'stage', 'settle', 'list', 'remove'] as const;
export type FileOperation = (typeof FILE_OPERATIONS)[number];

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics of a server, all 0. Counting costs about a microsecond each, whether they are served or not. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const timer = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames, buckets, registers });
  const cacheRequests = counter(
    'svc_cache_requests_total',
    'Questions to the caches by result (hit, miss): games (which file of which release), memory (contents of small files), disk (blocks of an object store).',
    ['cache', 'result'],
  );
  const publishes = counter(
    'svc_publishes_total',
    'Publishes by how the build was sent (zip, parts) and by outcome: published, or the code of the error.',
    ['sent', 'outcome'],
  );
  for (const sent of ['zip', 'parts']) {
    for (const outcome of ['published', ...OUTAGES]) publishes.inc({ sent, outcome }, 0);
  }
  const databaseErrors = counter(
    'svc_database_errors_total',
    'Statements that failed, by code: unavailable, busy, storage_full, constraint, other.',
    ['code'],
  );
  for (const code of ['constraint', ...OUTAGES]) databaseErrors.inc({ code }, 0);
  const fileErrors = counter(
    'svc_storage_errors_total',
    'Operations of the file store that failed, by code: missing (no such file), unavailable, storage_full, other.',
    ['operation', 'code'],
  );
  for (const operation of FILE_OPERATIONS) {
    for (const code of ['missing', ...OUTAGES]) fileErrors.inc({ operation, code }, 0);
  }
  const upkeepDoneAt = new Gauge({
    name: 'svc_upkeep_last_done_timestamp_seconds',
    help: 'When the background work was last done, in seconds since 1970. Before that, when the server started.',
    registers,
  });
  upkeepDoneAt.setToCurrentTime();
  return {
    registry,
    publishes,
    databaseErrors,
    fileErrors,
    upkeepDoneAt,
    countLookup(cache: 'games' | 'memory' | 'disk', isHit: boolean): void {
      cacheRequests.inc({ cache, result: isHit ? 'hit' : 'miss' });
    },
    http: createHttpMetrics(registry),
    publishing: new Gauge({
      name: 'svc_publishes_in_progress',
      help: 'Publishes that are running.',
      registers,
    }),
    publishPhase: timer(
      'svc_publish_phase_duration_seconds',
      'Phases of publishes: receive (the upload), check (unpack and judge the build), store (until the files are durable), commit (the transaction).',
      ['phase'],
      PHASE_SECONDS,
    ),
    plays: counter('svc_plays_total', 'Plays of games that were counted.', []),
    playedBytes: counter('svc_played_bytes_total', 'Bytes of files of games that were sent.', []),
    statement: timer(
      'svc_database_statement_duration_seconds',
      'Statements of the database by kind, without the wait for a connection.',
      ['kind'],
      STATEMENT_SECONDS,
    ),
    fileOperation: timer(
      'svc_storage_operation_duration_seconds',
      'Operations of the file store: open, read, create, stage, settle (until the files of a batch are durable), list, remove.',
      ['operation'],
      FILE_SECONDS,
    ),
    upkeep: timer(
      'svc_upkeep_duration_seconds',
      'Runs of the background work by outcome (done, failed).',
      ['outcome'],
      PHASE_SECONDS,
    ),
    rateLimited: counter(
      'svc_rate_limited_total',
      'Requests that a rate limit rejected, by limit.',
      ['limit'],
    ),
    rejectedCredentials: counter(
      'svc_rejected_credentials_total',
      'Requests with a credential that was not accepted, by the code of the error.',
      ['code'],
    ),
  };
}

/** Runs the work in a span with this name, and records how long it took, whether it fails or not. */
export async function timed<Result>(
  name: string,
  record: (seconds: number) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await inSpan(name, {}, work);
  } finally {
    record((performance.now() - startedAt) / 1000);
  }
}

/** The code of an error for a label. Its values are bounded: codes of the contract, or `other`. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof ApiError ? thrown.code : 'other';
}
