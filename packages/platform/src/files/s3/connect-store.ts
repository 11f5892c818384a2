// The connection to an object store: its client, a time limit for each call, and its errors as those of the contract.
import { S3Client } from '@aws-sdk/client-s3';
import type { Log } from '@svc/observe';
import { failure } from '../../failure.ts';
import { MissingFileError } from '../storage-error.ts';
import type { StorageAddress } from './storage-address.ts';
import { type Action, faultOf, LateError } from './store-fault.ts';

/** How the server reaches the store, and for how long it waits for an answer. */
export type StorageSettings = StorageAddress & {
  /** Time limit of a request without the time for the bytes that it sends. */
  readonly timeoutMs: number;
  /** Whether clients download builds from the store itself. */
  readonly redirects: boolean;
  /** Null: the client of AWS finds them, for example in a shared file. */
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  } | null;
};

/** Passed to each request of a call. */
type CallOptions = { readonly abortSignal: AbortSignal };

type Call = {
  readonly action: Action;
  /** Time in milliseconds that the call may take in addition. */
  readonly extraMs?: number;
  /** Ends the call. */
  readonly signal?: AbortSignal;
};

export type StoreConnection = Disposable & {
  readonly client: S3Client;
  /** For requests that some stores answer only after many seconds of work. Only the time limit of the call ends them. */
  readonly patientClient: S3Client;
  readonly bucket: string;
  /** The start of all keys in the bucket: empty, or with a slash at the end. */
  readonly prefix: string;
  /**
   * Runs requests within the time limit. Throws `storage_full` or `unavailable` with a {@link StoreFault} as cause, or the
   * `MissingFileError` of the work.
   */
  call<Output>(call: Call, work: (options: CallOptions) => Promise<Output>): Promise<Output>;
};

/** Tries of a request, with growing random pauses, after a lost connection, a 5xx or a request to slow down. */
const TRIES = 3;
/** More connections than any number of clients that one process serves at its full speed. */
const CONNECTIONS = 512;
const LOG_EVERY_MS = 10_000;

/** Creates a connection, which disposing of it closes. It connects with its first request. `log` receives at most one line for each reason in ten seconds. */
export function connectStore(settings: StorageSettings, log: Log): StoreConnection {
  const client = createClient(settings, settings.timeoutMs);
  // 0: no limit.
  const patientClient = createClient(settings, 0);
  const report = createReporter(log);
  return {
    client,
    patientClient,
    bucket: settings.bucket,
    prefix: settings.prefix,
    async call({ action, extraMs = 0, signal }, work) {
      try {
        return await within(settings.timeoutMs + extraMs, signal, (abortSignal) =>
          work({ abortSignal }),
        );
      } catch (error) {
        if (error instanceof MissingFileError || signal?.aborted === true) throw error;
        const fault = faultOf(error, action);
        report(`the file store cannot ${action}: ${fault.message}`);
        throw fault.isFull
          ? failure('storage_full', 'Cannot store the files: the file store is full', {
              cause: fault,
            })
          : failure('unavailable', 'The file store cannot be reached now. Try again later', {
              cause: fault,
            });
      }
    },
    [Symbol.dispose]() {
      client.destroy();
      patientClient.destroy();
    },
  };
}

/** Creates a client. A connection that is silent for `silenceMs` is closed, and its request is repeated. */
function createClient(
  { endpoint, region, credentials, timeoutMs }: StorageSettings,
  silenceMs: number,
): S3Client {
  const agent = { keepAlive: true, maxSockets: CONNECTIONS };
  return new S3Client({
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(credentials !== null && { credentials }),
    region,
    retryMode: 'standard',
    maxAttempts: TRIES,
    // Bodies are buffers, whose SHA-256 is in the signature, so the store checks them. Stores other than AWS reject more.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would open a connection for each body of more than 2 MiB.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: timeoutMs / 2,
      socketTimeout: silenceMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

/** Runs the work. If it takes longer, aborts its requests and throws a {@link LateError}. */
async function within<Output>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Output>,
): Promise<Output> {
  const late = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new LateError(`no answer in ${ms} ms`);
    // First, because the abortion also ends the work with an error.
    reject(error);
    late.abort(error);
  }, ms);
  try {
    const ended = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    return await Promise.race([work(ended), promise]);
  } finally {
    clearTimeout(timer);
  }
}

function createReporter(log: Log): (line: string) => void {
  const logged = new Map<string, number>();
  return (line) => {
    const now = performance.now();
    if (now - (logged.get(line) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    logged.set(line, now);
    log.warn(line);
  };
}
