// Wires the site: plain options in, a running server out, which is closed by disposing of it.
import { PLATFORM_CONDITIONS, PLATFORM_ERRORS } from '@svc/contracts/platform';
import { type App, createServer, reachableHost } from '@svc/serve';
import { readAssets } from './assets/read-assets.ts';
import { registerDashboard } from './dashboard/dashboard-routes.ts';
import { sendFailure } from './errors/send-failure.ts';
import { compressText } from './page/compress.ts';
import { registerAssets } from './routes/asset-routes.ts';
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
  /** Address of the API, without a slash at its end. */
  readonly apiUrl: string;
  /** Where browsers reach this site; default: the address it listens on. */
  readonly origin?: string;
  /** Default 8788; 0 for a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** What cookies are sealed with; without one, sessions end when the site restarts. */
  readonly secret?: string | null;
  readonly name?: string;
  /** How long the API may take for a page, in milliseconds. Default 8,000. */
  readonly apiTimeoutMs?: number;
  readonly trustProxy?: string | null;
  /** Milliseconds since 1970; default the clock. */
  readonly now?: () => number;
  /** Hears lines for the operator; default: nobody. */
  readonly log?: (line: string) => void;
};

export type RunningWeb = AsyncDisposable & {
  readonly origin: string;
  readonly port: number;
  close(): Promise<void>;
};

/** Starts the site. Throws where it can't: a taken port, an address that is none. */
export async function startWeb(options: WebOptions): Promise<RunningWeb> {
  const host = options.host ?? '127.0.0.1';
  checkTogether(options, host);
  const log = options.log ?? (() => {});
  if (options.secret === undefined || options.secret === null) {
    log('warning: SVC_WEB_SECRET is not set: everybody is signed out when the site restarts');
  }
  const now = options.now ?? Date.now;
  // The port, and with it the origin, may be known only when the server listens: pages read it when they are asked for.
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
  // As browsers write it: without the port that http means.
  if (options.origin === undefined) {
    address.origin = new URL(`http://${reachableHost(host)}:${port}`).origin;
  }
  const close = (): Promise<void> => server.close(CLOSE_GRACE_MS);
  return { origin: web.origin, port, close, [Symbol.asyncDispose]: close };
}

/** What no single setting shows. */
function checkTogether({ origin, apiUrl }: WebOptions, host: string): void {
  if (origin === undefined && reachableHost(host) === null) {
    throw new Error(
      `Cannot start on "${host}" without SVC_WEB_ORIGIN: the site would call itself 127.0.0.1, which no other machine can reach. Set SVC_WEB_ORIGIN to the address that browsers use, such as https://games.example`,
    );
  }
  const api = new URL(apiUrl);
  if (origin !== undefined && api.origin === new URL(origin).origin && api.pathname === '/') {
    throw new Error(
      'Cannot start: SVC_API and SVC_WEB_ORIGIN name the same address, but the API and the store are two services. Set SVC_API to the address of the API, and SVC_WEB_ORIGIN to that of the store',
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
  // Uploads are not read here: they stream through to the API.
  app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
  registerAssets(app, web.assets);
  registerSession(app, web);
  registerDashboard(app, web);
  registerStore(app, web);
}
