// Creates the parts of the site from plain options, and starts the server.
import { PLATFORM_CONDITIONS, PLATFORM_ERRORS } from '@svc/contracts/platform';
import { type App, createServer, reachableHost } from '@svc/serve';
import { readAssets } from './assets/read-assets.ts';
import { registerDashboard } from './dashboard/dashboard-routes.ts';
import { sendFailure } from './errors/send-failure.ts';
import { compressText } from './page/compress.ts';
import { registerAssets } from './routes/asset-routes.ts';
import { createRoutes } from './routes/route.ts';
import { CALLBACK_PATH, registerSession } from './routes/session-routes.ts';
import { createIdentityProvider } from './session/identity-provider.ts';
import { createRenewal } from './session/renew-session.ts';
import { createSealedCookies } from './session/sealed-cookies.ts';
import { registerStore } from './store/store-routes.ts';
import { createLimits } from './visit/limits.ts';
import { openVisit } from './visit/visit.ts';
import type { Web } from './visit/web.ts';

const REQUEST_MS = 30_000;
const API_TIMEOUT_MS = 8_000;
const HANDLERS = 512;
const FORM_BYTES = 512 * 1024;
const CLOSE_GRACE_MS = 5_000;

export type WebOptions = {
  /** Address of the API, without a trailing slash. */
  readonly apiUrl: string;
  /** The origin at which browsers reach this site. Default: the address it listens on. */
  readonly origin?: string;
  /** Default 8788. 0 selects any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Encrypts cookies. Without it, all sessions end when the site restarts. */
  readonly secret?: string | null;
  readonly name?: string;
  /** Timeout of an API call for a page, in milliseconds. Default 8,000. */
  readonly apiTimeoutMs?: number;
  readonly trustProxy?: string | null;
  /** The time in milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /** Receives the lines of the operator's log. Default: they are dropped. */
  readonly log?: (line: string) => void;
};

export type RunningWeb = AsyncDisposable & {
  readonly origin: string;
  readonly port: number;
  close(): Promise<void>;
};

/** Starts the site. Disposing of the result closes it. Throws if the port is in use or an address is invalid. */
export async function startWeb(options: WebOptions): Promise<RunningWeb> {
  const host = options.host ?? '127.0.0.1';
  checkTogether(options, host);
  const log = options.log ?? (() => {});
  if (options.secret === undefined || options.secret === null) {
    log('warning: SVC_WEB_SECRET is not set. All users are signed out when the site restarts');
  }
  const now = options.now ?? Date.now;
  // With port 0 the origin is known only after the server listens, so pages read it for each request.
  const address = { origin: options.origin ?? '' };
  const web = makeWeb(options, address, now, log);
  const server = await createServer({
    errors: PLATFORM_ERRORS,
    codes: PLATFORM_CONDITIONS,
    requestMs: REQUEST_MS,
    handlers: HANDLERS,
    bodyBytes: FORM_BYTES,
    trustProxy: options.trustProxy ?? false,
    oneHost: true,
    sendError: async (request, reply, error) =>
      sendFailure(await openVisit(web, request, reply), error),
    onFailure: (error) => log(`internal: ${error instanceof Error ? error.stack : error}`),
    routes: (app) => registerPages(app, web),
  });
  const port = await server.listen({ host, port: options.port ?? 8788 });
  // `URL` removes the default port 80, as browsers do.
  if (options.origin === undefined) {
    address.origin = new URL(`http://${reachableHost(host)}:${port}`).origin;
  }
  const close = (): Promise<void> => server.close(CLOSE_GRACE_MS);
  return { origin: web.origin, port, close, [Symbol.asyncDispose]: close };
}

/** Checks combinations of settings. */
function checkTogether({ origin, apiUrl }: WebOptions, host: string): void {
  if (origin === undefined && reachableHost(host) === null) {
    throw new Error(
      `Cannot start on "${host}" without SVC_WEB_ORIGIN: the origin of the site would be 127.0.0.1, which other machines can’t reach. Set SVC_WEB_ORIGIN to the address that browsers use, such as https://games.example`,
    );
  }
  const api = new URL(apiUrl);
  if (origin !== undefined && api.origin === new URL(origin).origin && api.pathname === '/') {
    throw new Error(
      'Cannot start: SVC_API and SVC_WEB_ORIGIN are the same address, but the API and the store are two services. Set SVC_API to the address of the API, and SVC_WEB_ORIGIN to the address of the store',
    );
  }
}

function makeWeb(
  options: WebOptions,
  address: { readonly origin: string },
  now: () => number,
  log: (line: string) => void,
): Web {
  const provider = createIdentityProvider(
    options.apiUrl,
    () => `${address.origin}${CALLBACK_PATH}`,
    now,
  );
  const apiTimeoutMs = options.apiTimeoutMs ?? API_TIMEOUT_MS;
  return {
    get origin() {
      return address.origin;
    },
    apiUrl: options.apiUrl,
    name: options.name ?? 'svc games',
    apiTimeoutMs,
    assets: readAssets(),
    cookies: createSealedCookies(
      options.secret ?? null,
      options.origin?.startsWith('https:') === true,
    ),
    provider,
    renewal: createRenewal(provider, now),
    ...createLimits(options.apiUrl, apiTimeoutMs, now),
    now,
    log,
  };
}

function registerPages(app: App, web: Web): void {
  app.addHook('onSend', compressText);
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  // Uploads are not parsed here. They are streamed to the API.
  app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
  registerAssets(app, web.assets);
  const routes = createRoutes(app, web);
  registerSession(routes);
  registerDashboard(routes);
  registerStore(routes);
}
