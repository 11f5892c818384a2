// What the platform counts and times for its operator. docs/operations.md lists it.
import { createHttpMetrics, inSpan } from '@svc/observe';
import { ApiError } from '@svc/serve';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** From a row in memory to a lock that is waited for. */
const STATEMENT_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
const FILE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];
/** From a small build to a slow upload. */
const PHASE_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/** Codes of what fails because of the server. */
const OUTAGES = ['unavailable', 'busy', 'storage_full', 'other'];
const FILE_OPERATIONS = ['open', 'read', 'create', 'stage', 'settle', 'list', 'remove'] as const;
export type FileOperation = (typeof FILE_OPERATIONS)[number];

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics of a server. Each count costs a fraction of a microsecond, whether the metrics are served or not. */
export function createMetrics() {
  const registry = new Registry();
  const define = makersFor(registry);
  return {
    registry,
    http: createHttpMetrics(registry),
    ...publishMetrics(define),
    ...playMetrics(define),
    ...storeMetrics(define),
    ...upkeepMetrics(define),
    mails: define.counter(
      'svc_mails_total',
      'E-mails by outcome: sent, failed (it is tried again), rejected (by the server for good).',
      ['outcome'],
      ['sent', 'failed', 'rejected'].map((outcome) => ({ outcome })),
    ),
    rateLimited: define.counter(
      'svc_rate_limited_total',
      'Requests that a rate limit rejected, by limit.',
      ['limit'],
    ),
    limitedAlone: define.counter(
      'svc_rate_limits_alone_total',
      'Requests whose limits only this process counted, because PostgreSQL failed or did not answer in time.',
      [],
    ),
    rejectedCredentials: define.counter(
      'svc_rejected_credentials_total',
      'Requests with a credential that was not accepted, by the code of the error.',
      ['code'],
    ),
  };
}

/** Functions that define metrics in a registry. */
function makersFor(registry: Registry) {
  const registers = [registry];
  return {
    /** `zeros` are labels that begin with 0, so that an alert notices the first event. */
    counter<Label extends string>(
      name: string,
      help: string,
      labelNames: Label[],
      zeros: readonly Readonly<Record<Label, string>>[] = [],
    ): Counter<Label> {
      const counter = new Counter({ name, help, labelNames, registers });
      for (const labels of zeros) counter.inc(labels, 0);
      return counter;
    },
    timer: <Label extends string>(
      name: string,
      help: string,
      labelNames: Label[],
      buckets: number[],
    ): Histogram<Label> => new Histogram({ name, help, labelNames, buckets, registers }),
    gauge: (name: string, help: string): Gauge => new Gauge({ name, help, registers }),
  };
}

type Makers = ReturnType<typeof makersFor>;

function publishMetrics({ counter, timer, gauge }: Makers) {
  return {
    publishes: counter(
      'svc_publishes_total',
      'Publishes by how the build was sent (zip, parts) and by outcome: published, ended (the client has left), or the code of the error.',
      ['sent', 'outcome'],
      ['zip', 'parts'].flatMap((sent) =>
        ['published', 'build_rejected', 'hook_failed', ...OUTAGES].map((outcome) => ({
          sent,
          outcome,
        })),
      ),
    ),
    publishing: gauge('svc_publishes_in_progress', 'Publishes that are running.'),
    publishPhase: timer(
      'svc_publish_phase_duration_seconds',
      'Phases of publishes: receive (the upload of a ZIP), check (unpack and judge the build), store (until the files are durable), hook (the operator’s judgement), commit (the transaction).',
      ['phase'],
      PHASE_SECONDS,
    ),
  };
}

function playMetrics({ counter }: Makers) {
  const cacheRequests = counter(
    'svc_cache_requests_total',
    'Questions to the caches by result (hit, miss): games (which file of which release), memory (contents of small files), disk (blocks of an object store).',
    ['cache', 'result'],
  );
  return {
    plays: counter('svc_plays_total', 'Games that were opened by a browser.', []),
    playedBytes: counter('svc_played_bytes_total', 'Bytes of files of games that were sent.', []),
    countLookup(cache: 'games' | 'memory' | 'disk', isHit: boolean): void {
      cacheRequests.inc({ cache, result: isHit ? 'hit' : 'miss' });
    },
  };
}

/** The database and the file store. */
function storeMetrics({ counter, timer }: Makers) {
  return {
    statement: timer(
      'svc_database_statement_duration_seconds',
      'Statements of the database by kind, without the wait for a connection.',
      ['kind'],
      STATEMENT_SECONDS,
    ),
    databaseErrors: counter(
      'svc_database_errors_total',
      'Statements that failed, by code: unavailable, busy, storage_full, constraint, other.',
      ['code'],
      ['constraint', ...OUTAGES].map((code) => ({ code })),
    ),
    fileOperation: timer(
      'svc_storage_operation_duration_seconds',
      'Operations of the file store: open, read, create, stage, settle (until the files of a batch are durable), list, remove.',
      ['operation'],
      FILE_SECONDS,
    ),
    fileErrors: counter(
      'svc_storage_errors_total',
      'Operations of the file store that failed, by code: missing (no such file), unavailable, storage_full, other.',
      ['operation', 'code'],
      FILE_OPERATIONS.flatMap((operation) =>
        ['missing', ...OUTAGES].map((code) => ({ operation, code })),
      ),
    ),
  };
}

function upkeepMetrics({ timer, gauge }: Makers) {
  const upkeepDoneAt = gauge(
    'svc_upkeep_last_done_timestamp_seconds',
    'When the background work was last done, in seconds since 1970. Before that, when the server started.',
  );
  upkeepDoneAt.setToCurrentTime();
  return {
    upkeep: timer(
      'svc_upkeep_duration_seconds',
      'Runs of the background work by outcome (done, failed).',
      ['outcome'],
      PHASE_SECONDS,
    ),
    upkeepDoneAt,
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
