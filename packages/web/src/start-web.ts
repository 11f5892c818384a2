// Creates the parts of the site from plain options, and starts the server.
import { randomBytes } from 'node:crypto';
import { PLATFORM_CONDITIONS, PLATFORM_ERRORS } from '@svc/contracts/platform';
import {
  countLines,
  createHttpMetrics,
  errorFields,
  type Log,
  NO_LOG,
  type ObserveSettings,
  observeRequests,
  openTracing,
  type RequestWatch,
  readObserveSettings,
  serveMetrics,
} from '@svc/observe';
import {
  type App,
  addHealthRoutes,
  countRequests,
  createHealth,
  createServer,
  drainAndClose,
  type Health,
  reachableHost,
  type Server,
  type Watch,
} from '@svc/serve';
import { Registry } from 'prom-client';
import manifest from '../package.json' with { type: 'json' };
import { registerAdmin } from './admin/admin-routes.ts';
import { createApi } from './api/send-to-api.ts';
import { readAssets } from './assets/read-assets.ts';
import { registerDashboard, registerUploads } from './dashboard/dashboard-routes.ts';
import { openSharedDatabase, type SharedDatabase } from './database/shared-database.ts';
import { sendFailure } from './errors/send-failure.ts';
import { compressText } from './page/compress.ts';
import { registerAssets } from './routes/asset-routes.ts';
import { createRoutes } from './routes/route.ts';
import { CALLBACK_PATH, registerSession } from './routes/session-routes.ts';
import {
  type ClientCredential,
  type ClientSetting,
  readCredentials,
} from './session/client-credential.ts';
import { createIdentityProviders } from './session/identity-providers.ts';
import { createRenewal, type SpendToken } from './session/renew-session.ts';
import { createRenewalTable, RENEWAL_TABLE } from './session/renewal-table.ts';
import type { Secrets } from './session/seal.ts';
import { createSealedCookies } from './session/sealed-cookies.ts';
import { createSealedTokens } from './session/sealed-tokens.ts';
import { shareRenewals } from './session/share-renewals.ts';
import { registerStore } from './store/store-routes.ts';
import type { FooterLink } from './visit/footer-links.ts';
import { createLimits } from './visit/limits.ts';
import { openVisit } from './visit/visit.ts';
import type { Web } from './visit/web.ts';

/** Its name in traces. */
const SERVICE = { name: 'svc-web', version: manifest.version };
const REQUEST_MS = 30_000;
const API_TIMEOUT_MS = 4_000;
const HANDLERS = 512;
const FORM_BYTES = 512 * 1024;
const CLOSE_GRACE_MS = 5_000;
const DRAIN_MS = 30_000;
const CHECK_MS = 2_000;

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
  /** Secrets whose cookies are accepted too. */
  readonly otherSecrets?: readonly string[];
  /** The postgres:// address of the database that several processes of the site share. Requires `secret` and `origin`. */
  readonly databaseUrl?: string | null;
  readonly name?: string;
  /** The operator's own links in the footer. Default: none. */
  readonly footerLinks?: readonly FooterLink[];
  /** How long a page waits for the API, in milliseconds. Default 4,000. */
  readonly apiTimeoutMs?: number;
  readonly trustProxy?: string | null;
  /** Whom to contact about a vulnerability, as `mailto:` and `https:` addresses. Default: there is no security.txt. */
  readonly securityContacts?: readonly string[];
  /** The identity providers that know the store as a confidential client. Default: none. */
  readonly clients?: readonly ClientSetting[];
  /** How long `drain` may take, in milliseconds. Default 30,000. */
  readonly drainMs?: number;
  /** The time in milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /** Receives the lines of the operator's log. Default: they are dropped. */
  readonly log?: Log;
  /** Settings of the log and the metrics. Default: all unset. */
  readonly observe?: ObserveSettings;
};

export type RunningWeb = AsyncDisposable & {
  readonly origin: string;
  readonly port: number;
  /** The address of the metrics. Null if they are not served. */
  readonly metricsUrl: string | null;
  /** Closes the site at once. Requests that are running have five seconds. */
  close(): Promise<void>;
  /** Announces the end at `/readyz`, and closes the site when proxies have noticed and no request is running. */
  drain(): Promise<void>;
};

/**
 * Starts the site. Disposing of the result closes it. Throws if the port is in use, an address is invalid, or the shared
 * database or the file of a key can't be used.
 */
export async function startWeb(options: WebOptions): Promise<RunningWeb> {
  const host = options.host ?? '127.0.0.1';
  checkTogether(options, host);
  const registry = new Registry();
  const log = countLines(options.log ?? NO_LOG, registry);
  if (options.secret === undefined || options.secret === null) {
    log.warn('SVC_WEB_SECRET is not set. All users are signed out when the site restarts');
  }
  await using starting = new AsyncDisposableStack();
  const settings = options.observe ?? readObserveSettings({}, []);
  starting.use(await openTracing(settings, SERVICE, log));
  const newId = countRequests();
  const watch = observeRequests({
    ...{ log, settings, newId, http: createHttpMetrics(registry) },
    trustedProxies: options.trustProxy ?? null,
  });
  const now = options.now ?? Date.now;
  // With port 0 the origin is known only after the server listens, so pages read it for each request.
  const address = { origin: options.origin ?? '' };
  const { databaseUrl = null } = options;
  const database =
    databaseUrl === null
      ? null
      : starting.use(await openSharedDatabase(databaseUrl, RENEWAL_TABLE, log));
  const credentials = await readCredentials(options.clients ?? []);
  const web = makeWeb(options, { address, database, credentials, now, log, watch });
  const health = createHealth({
    api: () => createApi(options.apiUrl, CHECK_MS).call('health', {}),
    ...(database === null ? {} : { database: () => database.read('select 1') }),
  });
  const { url: metricsUrl } = starting.use(await serveMetrics(registry, settings, log));
  const server = await makeServer(options, web, health);
  starting.defer(() => server.close(CLOSE_GRACE_MS));
  const port = await server.listen({ host, port: options.port ?? 8788 });
  // `URL` removes the default port 80, as browsers do.
  if (options.origin === undefined) {
    address.origin = new URL(`http://${reachableHost(host)}:${port}`).origin;
  }
  const running = starting.move();
  const close = (): Promise<void> => running.disposeAsync();
  const drain = async (): Promise<void> => {
    server.endConnections();
    await drainAndClose(health, server.close, options.drainMs ?? DRAIN_MS);
    await close();
  };
  return { origin: web.origin, port, metricsUrl, close, drain, [Symbol.asyncDispose]: close };
}

/** Checks combinations of settings. */
function checkTogether(options: WebOptions, host: string): void {
  const { origin, apiUrl } = options;
  const isShared = (options.databaseUrl ?? null) !== null;
  if (isShared && (origin === undefined || (options.secret ?? null) === null)) {
    throw new Error(
      'Cannot start: a site with a shared database needs a secret and an origin, the same in every process',
    );
  }
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

type Parts = {
  readonly address: { readonly origin: string };
  readonly database: SharedDatabase | null;
  readonly credentials: readonly ClientCredential[];
  readonly now: () => number;
  readonly log: Log;
  readonly watch: RequestWatch;
};

function makeWeb(options: WebOptions, parts: Parts): Web {
  const { address, database, credentials, now, log, watch } = parts;
  const apiTimeoutMs = options.apiTimeoutMs ?? API_TIMEOUT_MS;
  const api = createApi(options.apiUrl, apiTimeoutMs);
  const redirectUri = (): string => `${address.origin}${CALLBACK_PATH}`;
  const providers = createIdentityProviders({ api, redirectUri, credentials, now, log });
  const secrets: Secrets = [options.secret ?? drawSecret(), ...(options.otherSecrets ?? [])];
  const spend: SpendToken =
    database === null
      ? (grant) => providers.refresh(grant).catch(() => null)
      : shareRenewals({
          providers,
          table: createRenewalTable(database),
          sealed: createSealedTokens(secrets),
          log,
        });
  return {
    get origin() {
      return address.origin;
    },
    apiUrl: options.apiUrl,
    name: options.name ?? 'svc games',
    footerLinks: options.footerLinks ?? [],
    apiTimeoutMs,
    assets: readAssets(),
    cookies: createSealedCookies(secrets, options.origin?.startsWith('https:') === true),
    providers,
    renewal: createRenewal(spend, now),
    ...createLimits(options.apiUrl, apiTimeoutMs, now),
    securityContacts: options.securityContacts ?? [],
    now,
    log,
    watch,
  };
}

function drawSecret(): string {
  return randomBytes(32).toString('base64url');
}

function makeServer(options: WebOptions, web: Web, health: Health): Promise<Server> {
  return createServer({
    errors: PLATFORM_ERRORS,
    codes: PLATFORM_CONDITIONS,
    requestMs: REQUEST_MS,
    handlers: HANDLERS,
    bodyBytes: FORM_BYTES,
    trustProxy: options.trustProxy ?? false,
    oneHost: true,
    sendError: async (request, reply, error) =>
      sendFailure(await openVisit(web, request, reply), error),
    watch: withIdHeader(web.watch),
    onFailure: (error, request) =>
      web.log.error('a request failed', {
        ...errorFields(error),
        ...(request === null ? {} : { request_id: web.watch.idOf(request) }),
      }),
    routes: (app) => {
      addHealthRoutes(app, health);
      registerPages(app, web);
    },
  });
}

/** Adds the id of each request to its answer. */
function withIdHeader(watch: RequestWatch): Watch {
  return {
    begin(request, response) {
      const id = watch.begin(request, response);
      response.setHeader('X-Request-Id', id);
      return id;
    },
    run: watch.run,
    refuse: watch.refuse,
    setRoute: watch.setRoute,
    setCode: watch.setCode,
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
  registerAdmin(routes);
  registerStore(routes);
  app.register(async (scope) => {
    scope.removeContentTypeParser('application/json');
    // The routes read the body themselves, after they have checked the session.
    scope.addContentTypeParser(
      ['application/json', 'application/octet-stream'],
      (_request, _body, done) => done(null),
    );
    registerUploads(createRoutes(scope, web));
  });
}
