// The metrics of a server's requests.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EndedRequest, RequestWatch } from '../requests/watch-requests.ts';

/** From answers out of memory to uploads of half an hour. */
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600];

export type HttpMetrics = {
  /** Counts a request that has ended. */
  count(ended: EndedRequest): void;
  /** Reads the number of requests that are not answered yet from this watch. */
  follow(watch: Pick<RequestWatch, 'running'>): void;
};

/** Registers `svc_http_…`. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  const registers = [registry];
  let watched: Pick<RequestWatch, 'running'> = { running: 0 };
  const requests = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Requests by method, route and status, from the head of a request to the end of its answer. Status 499: the client left before the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  });
  const bytes = new Counter({
    name: 'svc_http_response_bytes_total',
    help: 'Bytes of answers with their heads, by route.',
    labelNames: ['route'],
    registers,
  });
  const cutOff = new Counter({
    name: 'svc_http_responses_cut_off_total',
    help: 'Answers that were not sent completely, by route: the client left, or was too slow.',
    labelNames: ['route'],
    registers,
  });
  const errors = new Counter({
    name: 'svc_http_errors_total',
    help: 'Errors that were answered, by their code.',
    labelNames: ['code'],
    registers,
  });
  new Gauge({
    name: 'svc_http_requests_in_progress',
    help: 'Requests that are not answered yet.',
    registers,
    collect() {
      this.set(watched.running);
    },
  });
  return {
    count(ended) {
      const { method, route, status, code, ms } = ended;
      requests.observe({ method, route, status }, ms / 1000);
      bytes.inc({ route }, ended.bytes);
      if (ended.isCutOff) cutOff.inc({ route });
      if (code !== null) errors.inc({ code });
    },
    follow(watch) {
      watched = watch;
    },
  };
}
