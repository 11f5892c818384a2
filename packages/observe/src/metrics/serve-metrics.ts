// The listener of the metrics. It is apart from the server, so that no proxy can make the metrics public by accident.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '@svc/contracts/caught';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { errorFields, type Log } from '../log/log.ts';
import type { ObserveSettings } from '../settings.ts';

const PATH = '/metrics';
/** More connections are closed. Prometheus needs one. */
const CONNECTIONS = 16;
const IDLE_MS = 30_000;

type Listener = AsyncDisposable & {
  /** The address of the metrics, such as `http://127.0.0.1:9464/metrics`. Null if they are not served. */
  readonly url: string | null;
};

const NOT_SERVED: Listener = { url: null, async [Symbol.asyncDispose]() {} };

/**
 * Serves the metrics of the registry at `/metrics`, with those of the process, if the settings say where. Throws an error for
 * the operator if it cannot listen. A collection that fails is logged, and answered with 500.
 */
export async function serveMetrics(
  registry: Registry,
  { metrics }: ObserveSettings,
  log: Log,
): Promise<Listener> {
  if (metrics === null) return NOT_SERVED;
  collectDefaultMetrics({ register: registry });
  let collecting: Promise<string> | null = null;
  // Readers at the same time share a collection.
  const collect = (): Promise<string> => {
    collecting ??= registry.metrics().finally(() => {
      collecting = null;
    });
    return collecting;
  };
  const server = createServer({ requestTimeout: IDLE_MS }, (request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      const head = { 'Content-Type': type, 'Cache-Control': 'no-store' };
      response.writeHead(status, { ...head, 'Content-Length': Buffer.byteLength(body) });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    if (request.url?.split('?')[0] !== PATH) {
      answer(404, 'text/plain', `There is nothing at this address. The metrics are at ${PATH}\n`);
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      answer(405, 'text/plain', 'The metrics can only be read, with GET\n');
    } else {
      collect().then(
        (text) => answer(200, registry.contentType, text),
        (error: unknown) => {
          log.error('the metrics cannot be collected', errorFields(error));
          answer(500, 'text/plain', 'The metrics cannot be collected. See the log of the server\n');
        },
      );
    }
  });
  server.maxConnections = CONNECTIONS;
  // A reader that takes nothing is disconnected.
  server.setTimeout(IDLE_MS);
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error) => {
      const reason = messageOf(error);
      reject(
        new Error(`Cannot serve metrics: ${reason}. Correct SVC_METRICS_PORT and SVC_METRICS_HOST`),
      );
    });
    server.listen(metrics, resolve);
  });
  const { address, family, port: bound } = server.address() as AddressInfo;
  const name = family === 'IPv6' ? `[${address}]` : address;
  return {
    url: `http://${name}:${bound}${PATH}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
