// Wires the platform: takes plain options, returns a running server. Disposing of it stops the server.
import { resolve } from 'node:path';
import {
  PLATFORM_CONDITIONS,
  PLATFORM_ERRORS,
  PLATFORM_LIMITS,
  type PlatformLimits,
} from '@svc/contracts/platform';
import {
  countLines,
  errorFields,
  type Log,
  NO_LOG,
  observeRequests,
  openTracing,
  serveMetrics,
} from '@svc/observe';
import {
  countRequests,
  createServer,
  drainAndClose,
  type Health,
  reachableHost,
  type Server,
} from '@svc/serve';
import manifest from '../../package.json' with { type: 'json' };
import { createDocumentFetcher } from '../access/fetch-document.ts';
import { type IdentityProvider, withKeys } from '../access/identity-provider.ts';
import { createIssuerKeys } from '../access/issuer-keys.ts';
import { createIdTokenVerifier } from '../access/verify-id-token.ts';
import { createLogoutTokenVerifier } from '../access/verify-logout-token.ts';
import { type BlockedWords, NO_BLOCKED_WORDS } from '../blocked-words.ts';
import { type Changes, changesOfStamp } from '../database/changes.ts';
import { listenForChanges } from '../database/listen-for-changes.ts';
import { readSigningKey } from '../database/signing-key.ts';
import { type DevProvider, startDevProvider } from '../dev-provider/start-dev-provider.ts';
import { isPassing } from '../failure.ts';
import type { FileStore } from '../files/file-store.ts';
import { greetRequests } from '../greet-requests.ts';
import { createPublishHook } from '../hook/publish-hook.ts';
import { startMailer } from '../mail/mailer.ts';
import { openTransport } from '../mail/open-transport.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import type { Addresses, Platform } from '../platform.ts';
import { createFileFinder } from '../play/find-file.ts';
import { findHeldSlugs } from '../play/game-hosts.ts';
import { createOwnBuckets } from '../rates/buckets.ts';
import { createRateLimits, type RateLimits } from '../rates/rate-limits.ts';
import { createSharedBuckets } from '../rates/shared-buckets.ts';
import { createPlatformHealth } from '../register/health-routes.ts';
import { registerRoutes } from '../register/register-routes.ts';
import { startStats } from '../stats/count/stats.ts';
import { startUpkeep } from '../storage/upkeep.ts';
import { addGauges, countUpkeep } from './add-gauges.ts';
import { checkAddresses, warnOfSharedCookies } from './check-addresses.ts';
import type { ProviderSettings } from './identity-settings.ts';
import { openStores, type Stores } from './open-stores.ts';
import { readBlockedWords } from './read-blocked-words.ts';
import { readSettings, type Settings } from './settings.ts';
import { warnOfHeldSlugs } from './warn-of-held-slugs.ts';
import { warnOfMissingHook } from './warn-of-missing-hook.ts';

/** Its name in traces. */
const SERVICE = { name: 'svc-platform', version: manifest.version };
const REQUEST_MS = 30_000;
const HANDLERS = 512;
const CLOSE_GRACE_MS = 30_000;
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8787;
const DEV_WEB_ORIGIN = 'http://127.0.0.1:8788';
/** The sign-in provider of --dev listens on the API's port plus this number. */
const DEV_IDENTITY_PORT_STEP = 2;

export type PlatformOptions = {
  /** Folder for the database and files. It is created if it is missing. */
  readonly dataDir: string;
  /** Default 8787; 0 for a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. With `dev` it must be 127.0.0.1. */
  readonly host?: string;
  /** Starts a sign-in provider that accepts any name, and opens developer sign-up. */
  readonly dev?: boolean;
  /** The operator's settings. Default: all unset. */
  readonly settings?: Settings;
  /** Limits that override those of the settings. */
  readonly limits?: Partial<PlatformLimits>;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Returns the file store that is used instead of the opened one, for tests of a store that fails. */
  readonly changeFiles?: (files: FileStore) => FileStore;
  /** How long a request waits for rate limits that PostgreSQL counts, in milliseconds. Default 250. */
  readonly ratePatienceMs?: number;
  /** The log for the operator. Default: its lines are discarded. */
  readonly log?: Log;
};

export type RunningPlatform = AsyncDisposable & {
  /** Address of the API, from the settings or the port. */
  readonly baseUrl: string;
  readonly port: number;
  /** The first identity provider, and the store's client there. */
  readonly issuer: string;
  readonly clientId: string;
  /** The address of the metrics. Null if they are not served. */
  readonly metricsUrl: string | null;
  /** Stops accepting requests, finishes those in progress, and releases all resources. */
  close(): Promise<void>;
  /**
   * Announces the end at `/readyz`, answers requests until proxies have noticed, then closes. Requests in progress have the
   * time of the setting.
   */
  drain(): Promise<void>;
};

/** Starts the platform. Throws if it cannot: the port is in use, the database is broken, or settings contradict each other. */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  const settings = options.settings ?? readSettings({});
  checkTogether(options, settings);
  await using starting = new AsyncDisposableStack();
  const blockedWords = await openBlockedWords(settings);
  const metrics = createMetrics();
  const log = countLines(options.log ?? NO_LOG, metrics.registry);
  starting.use(await openTracing(settings.observe, SERVICE, log));
  const dataDir = resolve(options.dataDir);
  const stores = starting.use(await openStores({ dataDir, settings, log, metrics }));
  const { served } = starting.use(await stores.openServed());
  const changes = watchChanges(starting, stores, settings);
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  const dev = options.dev === true ? starting.use(await startDevProvider(portBeside(port))) : null;
  const providers = chooseProviders(settings, dev);
  const addresses = makeAddresses(settings, host, port, providers);
  const parts = {
    settings,
    stores,
    served,
    changes,
    providers,
    addresses,
    isDev: dev !== null,
    metrics,
    blockedWords,
  };
  const platform = await createPlatform(options, parts);
  starting.use(platform.upkeep);
  starting.use(platform.stats);
  await warnOperator(platform, settings);
  await platform.upkeep.run();
  if (settings.mail !== null) {
    starting.use(startMailer(platform, openTransport(settings.mail)));
  }
  addGauges(platform);
  const { url: metricsUrl } = starting.use(
    await serveMetrics(metrics.registry, settings.observe, log),
  );
  const health = createPlatformHealth(platform);
  const server = await makeServer(platform, settings, health);
  starting.defer(() => server.close(CLOSE_GRACE_MS));
  const bound = await server.listen({ host, port });
  // With port 0, the real port is known only now.
  addresses.publicUrl = publicUrlOf(settings, host, bound);
  checkAddresses(settings, { ...addresses, providers });
  const running = starting.move();
  const close = (): Promise<void> => running.disposeAsync();
  return {
    baseUrl: addresses.publicUrl,
    port: bound,
    issuer: providers[0].issuer,
    clientId: providers[0].clientId,
    metricsUrl,
    close,
    async drain() {
      server.endConnections();
      await drainAndClose(health, server.close, settings.drainSeconds * 1000);
      await close();
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Watches for changes of games by other processes until the platform ends. */
function watchChanges(
  starting: AsyncDisposableStack,
  { database: { changeStamp }, log }: Stores,
  settings: Settings,
): Changes {
  const { databaseUrl: url, databaseTimeoutMs: timeoutMs } = settings;
  if (changeStamp !== null) return changesOfStamp(changeStamp);
  if (url === null) throw new Error('Cannot watch the database');
  return starting.use(listenForChanges({ url, timeoutMs, log }));
}

type MutableAddresses = { -readonly [Name in keyof Addresses]: Addresses[Name] };

/** Returns the addresses that a server with these settings has, for commands beside it. */
export function addressesOf(settings: Settings): Addresses {
  const publicUrl = publicUrlOf(settings, DEFAULT_HOST, DEFAULT_PORT);
  const { webOrigin, playOrigin } = settings;
  return { publicUrl, webOrigin: webOrigin ?? DEV_WEB_ORIGIN, playOrigin, heldSlugs: new Set() };
}

/** Returns the addresses of the server. Throws if games would run on an origin where people sign in. */
function makeAddresses(
  settings: Settings,
  host: string,
  port: number,
  providers: Providers,
): MutableAddresses {
  const publicUrl = publicUrlOf(settings, host, port);
  const webOrigin = settings.webOrigin ?? DEV_WEB_ORIGIN;
  const { playOrigin } = settings;
  checkAddresses(settings, { publicUrl, webOrigin, providers });
  const issuers = providers.map(({ issuer }) => issuer);
  const heldSlugs = findHeldSlugs(playOrigin, [publicUrl, webOrigin, ...issuers]);
  return { publicUrl, webOrigin, playOrigin, heldSlugs };
}

function publicUrlOf(settings: Settings, host: string, port: number): string {
  return settings.publicUrl ?? `http://${reachableHost(host) ?? DEFAULT_HOST}:${port}`;
}

type PlatformParts = {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly served: Platform['served'];
  readonly changes: Changes;
  readonly providers: Providers;
  readonly addresses: Addresses;
  readonly isDev: boolean;
  readonly metrics: Metrics;
  readonly blockedWords: BlockedWords;
};

async function openBlockedWords({ blockedWords: path }: Settings): Promise<BlockedWords> {
  return path === null ? NO_BLOCKED_WORDS : await readBlockedWords(path);
}

async function createPlatform(options: PlatformOptions, parts: PlatformParts): Promise<Platform> {
  const { settings, stores, served, changes, providers, addresses, isDev, metrics } = parts;
  const now = options.now ?? Date.now;
  const limits = { ...PLATFORM_LIMITS, ...settings.limits, ...options.limits };
  const { db, database, spool, attemptLeaseMs, log } = stores;
  const changed = options.changeFiles?.(stores.files);
  const files = changed ?? stores.files;
  const stored = { db, database, attemptLeaseMs, log, now, files, limits };
  const signingKey = await readSigningKey(db);
  const keyed = withKeys(providers);
  return {
    ...stored,
    spool,
    metrics,
    upkeep: startUpkeep(stored, (run) => countUpkeep(metrics, run)),
    stats: startStats(stored, settings.stats),
    served: changed ?? served,
    changes,
    addresses,
    publishHook: settings.publishHook === null ? null : createPublishHook(settings.publishHook),
    blockedWords: parts.blockedWords,
    signingKey,
    providers,
    verifyIdToken: createIdTokenVerifier(keyed, now),
    verifyLogoutToken: createLogoutTokenVerifier(keyed, now),
    keysOfIssuer: createIssuerKeys(
      createDocumentFetcher({
        issuers: new Set(settings.privateIssuers),
        loopback: isDev,
      }),
    ),
    signUp: {
      open: (settings.developerSignup ?? (isDev ? 'open' : 'closed')) === 'open',
      allowed: settings.developers,
    },
    saysTakenDown: settings.takenDownStatus === 451,
    sendsMail: settings.mail !== null,
    securityContacts: settings.securityContacts,
    rates: openRates(settings, { ...stored, signingKey, metrics }, options),
  };
}

/** A clock that nobody sets, so that what is left of a limit does not change with the time of the machine. */
function monotonicNow(): number {
  return performance.now();
}

/** Opens the rate limits: shared in PostgreSQL if that is the database, else in memory. Null if they are off. */
function openRates(
  { rateLimit }: Settings,
  platform: Pick<Platform, 'db' | 'database' | 'limits' | 'signingKey' | 'metrics' | 'log'>,
  { now = monotonicNow, ratePatienceMs: patienceMs }: PlatformOptions,
): RateLimits | null {
  if (rateLimit === 'off') return null;
  const { db, database, limits, signingKey, metrics, log } = platform;
  const own = createOwnBuckets(now);
  const isShared = rateLimit !== 'own' && database.engine === 'postgres';
  const onAlone = (): void => metrics.limitedAlone.inc();
  const onFailed = (error: unknown): void => {
    // An outage of the database is logged by its pool.
    if (!isPassing(error)) log.error('the rate limits cannot be shared', errorFields(error));
  };
  return createRateLimits({
    limits,
    buckets: isShared
      ? createSharedBuckets({
          ...{ db, own, onAlone, onFailed },
          ...(patienceMs !== undefined && { patienceMs }),
        })
      : own,
    hashKey: signingKey,
    onRejected: (limit) => metrics.rateLimited.inc({ limit }),
  });
}

/** Logs warnings about addresses that are unsafe for games. */
async function warnOperator(platform: Platform, settings: Settings): Promise<void> {
  const { addresses, log } = platform;
  if (settings.playOrigin === null) {
    log.warn(
      'games run on the address of the API. Set SVC_PLAY_ORIGIN to give them an origin of their own',
    );
  }
  const warning = warnOfSharedCookies(settings, addresses);
  if (warning !== null) log.warn(warning);
  await warnOfHeldSlugs(platform);
  await warnOfMissingHook(settings, log);
}

/** Throws if options and settings contradict each other. */
function checkTogether(options: PlatformOptions, settings: Settings): void {
  const { dev = false, host = DEFAULT_HOST } = options;
  if (dev && host !== DEFAULT_HOST) {
    throw new Error(
      `Cannot start with --dev on "${host}": its sign-in accepts any name. Use 127.0.0.1`,
    );
  }
  if (!dev && settings.providers.length === 0) {
    throw new Error(
      'Cannot start: no identity provider is configured. Set SVC_OIDC_ISSUER, or use --dev',
    );
  }
  if (!dev && settings.webOrigin === null) {
    throw new Error(
      'Cannot start: no web origin is configured. Set SVC_WEB_ORIGIN to the address of the store',
    );
  }
  if (reachableHost(host) === null && settings.publicUrl === null) {
    throw new Error(
      `Cannot start on "${host}" without SVC_PUBLIC_URL: every address in its answers would contain 127.0.0.1, which other machines cannot reach. Set SVC_PUBLIC_URL to the address that clients use, such as https://api.example`,
    );
  }
}

type Provider = IdentityProvider & Pick<ProviderSettings, 'setting'>;
type Providers = readonly [Provider, ...Provider[]];

function chooseProviders(settings: Settings, dev: DevProvider | null): Providers {
  const [first, ...others] = settings.providers.map((provider) => ({
    ...provider,
    issuerKey: provider.issuer,
  }));
  if (first !== undefined) return [first, ...others];
  if (dev === null) throw new Error('Cannot start: no identity provider');
  const { issuer, clientId } = dev;
  const names = { name: 'Development', clientId, cliClientId: clientId, offlineAccess: true };
  // The address of the provider changes with its port. Users are stored under a fixed issuer.
  return [{ ...names, setting: 'SVC_OIDC_ISSUER', issuer, jwksUrl: null, issuerKey: 'dev' }];
}

function portBeside(port: number): number {
  return port === 0 ? 0 : port + DEV_IDENTITY_PORT_STEP;
}

function makeServer(platform: Platform, settings: Settings, health: Health): Promise<Server> {
  const newId = countRequests();
  const { log, metrics } = platform;
  const watch = observeRequests({
    ...{ log, newId, http: metrics.http },
    settings: settings.observe,
    trustedProxies: settings.trustProxy,
  });
  const finder = createFileFinder(platform);
  return createServer({
    errors: PLATFORM_ERRORS,
    codes: PLATFORM_CONDITIONS,
    requestMs: REQUEST_MS,
    handlers: HANDLERS,
    bodyBytes: platform.limits.json_body_bytes,
    details: true,
    trustProxy: settings.trustProxy ?? false,
    oneHost: true,
    first: greetRequests(platform, finder, watch),
    watch,
    onFailure: (error, request) =>
      log.error('a request failed', {
        ...errorFields(error),
        ...(request === null ? {} : { request_id: watch.idOf(request) }),
      }),
    routes: (app) => registerRoutes(app, platform, health),
  });
}
