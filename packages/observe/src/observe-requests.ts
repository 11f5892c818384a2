// Each request of a server is a line of its log, and is counted.
import type { Log } from './log/log.ts';
import type { HttpMetrics } from './metrics/http-metrics.ts';
import { logRequest } from './requests/log-request.ts';
import { createSender } from './requests/sender.ts';
import { type RequestWatch, watchRequests } from './requests/watch-requests.ts';
import type { ObserveSettings } from './settings.ts';

type Observed = {
  readonly log: Log;
  readonly http: HttpMetrics;
  readonly settings: ObserveSettings;
  /** Addresses and ranges, separated by commas. Null: no proxy is trusted. */
  readonly trustedProxies: string | null;
  /** Creates the id of a request to which no trusted proxy gave one. */
  readonly newId: () => string;
};

/** Starts watching the requests of a server. */
export function observeRequests(observed: Observed): RequestWatch {
  const { log, http, trustedProxies, newId } = observed;
  const { logAddresses } = observed.settings;
  const sender = createSender(trustedProxies);
  const watch = watchRequests({
    newId: (request) => (request === null ? null : sender.givenId(request)) ?? newId(),
    isTrusted: sender.isTrusted,
    addressOf: logAddresses ? sender.addressOf : () => '',
    onEnd(ended) {
      http.count(ended);
      logRequest(log, ended, logAddresses);
    },
  });
  http.follow(watch);
  return watch;
}
