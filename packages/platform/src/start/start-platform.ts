// Wires the platform: plain options in, a running server out, which is closed by disposing of it.
import { join, resolve } from 'node:path';
import {
  PLATFORM_CONDITIONS,
  PLATFORM_ERRORS,
  PLATFORM_LIMITS,
  type PlatformLimits,
} from '@svc/contracts/platform';
import { countRequests, createServer, makeDataDir, reachableHost, type Server } from '@svc/serve';
import { createRateLimits } from '../access/rate-limit.ts';
import { createIdTokenVerifier, type IdentityProvider } from '../access/verify-id-token.ts';
import { openDatabase } from '../database/open-database.ts';
import { readSigningKey } from '../database/signing-key.ts';
import { type DevProvider, startDevProvider } from '../dev-provider/start-dev-provider.ts';
import { createFolderStore } from '../files/file-store.ts';
import { openSpool } from '../files/spool.ts';
import { greetRequests } from '../greet-requests.ts';
import type { Addresses, Platform } from '../platform.ts';
import { createFileFinder } from '../play/find-file.ts';
import { findHeldSlugs } from '../play/game-hosts.ts';
import { registerRoutes } from '../register/register-routes.ts';
import { runUpkeep, startUpkeep } from '../storage/upkeep.ts';
import { checkAddresses, warnOfSharedCookies } from './check-addresses.ts';
import { readSettings, type Settings } from './settings.ts';
import { warnOfHeldSlugs } from './warn-of-held-slugs.ts';

const REQUEST_MS = 30_000;
const HANDLERS = 512;
const CLOSE_GRACE_MS = 30_000;
const DEV_WEB_ORIGIN = 'http://127.0.0.1:8788';
/** How far from the API's port the sign-in provider of --dev listens. */
const DEV_IDENTITY_PORT_STEP = 2;

export type PlatformOptions = {
  /** Folder for database and files; made where it is missing. */
  readonly dataDir: string;
  /** Default 8787; 0 for a free one. */
  readonly port?: number;
  /** Default 127.0.0.1; `dev` takes no other. */
  readonly host?: string;
  /** Starts a sign-in provider that believes any name, and lets everybody be a developer. */
  readonly dev?: boolean;
  /** What an operator sets; default: nothing set. */
  readonly settings?: Settings;
  /** Limits that replace those of the settings. */
  readonly limits?: Partial<PlatformLimits>;
  /** Milliseconds since 1970; default the clock. */
  readonly now?: () => number;
  /** Hears lines for the operator; default: nobody. */
  readonly log?: (line: string) => void;
};

export type RunningPlatform = AsyncDisposable & {
  /** Where the API is, as the settings or the port say. */
  readonly baseUrl: string;
  readonly port: number;
  /** Issuer of the ID tokens that are taken. */
  readonly issuer: string;
  readonly clientId: string;
  /** Stops taking requests, finishes those under way, closes everything. */
  close(): Promise<void>;
};

/** Starts the platform. Throws where it can't: a taken port, a broken database, settings that contradict each other. */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  const settings = options.settings ?? readSettings({});
  checkTogether(options, settings);
  const host = reachableHost(options.host ?? '127.0.0.1') ?? '127.0.0.1';
  const dataDir = resolve(options.dataDir);
  makeDataDir(dataDir);
  await using starting = new AsyncDisposableStack();
  const database = starting.adopt(await openDatabase(dataDir, settings.databaseUrl), (opened) =>
    opened.db.destroy(),
  );
  const spool = starting.use(openSpool(dataDir));
  const port = options.port ?? 8787;
  const dev = options.dev === true ? starting.use(await startDevProvider(portBeside(port))) : null;
  const now = options.now ?? Date.now;
  const identity = chooseProvider(settings, dev);
  const publicUrl = settings.publicUrl ?? `http://${host}:${port}`;
  const webOrigin = settings.webOrigin ?? DEV_WEB_ORIGIN;
  const { playOrigin } = settings;
  checkAddresses(settings, { publicUrl, webOrigin, issuer: identity.issuer });
  const heldSlugs = findHeldSlugs(playOrigin, [publicUrl, webOrigin, identity.issuer]);
  const addresses: { -readonly [Name in keyof Addresses]: Addresses[Name] } = {
    ...{ publicUrl, webOrigin, playOrigin, heldSlugs },
  };
  const log = options.log ?? (() => {});
  const limits = { ...PLATFORM_LIMITS, ...settings.limits, ...options.limits };
  const platform: Platform = {
    db: database.db,
    database,
    files: createFolderStore(join(dataDir, 'projects')),
    spool,
    addresses,
    limits,
    signingKey: await readSigningKey(database.db),
    issuer: identity.issuer,
    clientId: identity.audience,
    verifyIdToken: createIdTokenVerifier(identity, now),
    signUp: {
      open: (settings.developerSignup ?? (dev === null ? 'closed' : 'open')) === 'open',
      allowed: settings.developers,
    },
    rates: createRateLimits(settings.rateLimit ? limits : null, Date.now),
    now,
    log,
  };
  if (settings.playOrigin === null) {
    log(
      'warning: games are played on the address of the API; set SVC_PLAY_ORIGIN for origins of their own',
    );
  }
  const warning = warnOfSharedCookies(settings, { publicUrl, webOrigin, issuer: identity.issuer });
  if (warning !== null) log(warning);
  await warnOfHeldSlugs(platform);
  await runUpkeep(platform);
  starting.use(startUpkeep(platform));
  const server = await makeServer(platform, settings);
  starting.defer(() => server.close(CLOSE_GRACE_MS));
  const bound = await server.listen({ host: options.host ?? '127.0.0.1', port });
  // Port 0 has become one that nobody could know before.
  addresses.publicUrl = settings.publicUrl ?? `http://${host}:${bound}`;
  checkAddresses(settings, { ...addresses, issuer: identity.issuer });
  const running = starting.move();
  const close = (): Promise<void> => running.disposeAsync();
  return {
    baseUrl: addresses.publicUrl,
    port: bound,
    issuer: identity.issuer,
    clientId: identity.audience,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What no single setting shows. */
function checkTogether(options: PlatformOptions, settings: Settings): void {
  const { dev = false, host = '127.0.0.1' } = options;
  if (dev && host !== '127.0.0.1') {
    throw new Error(
      `Cannot start with --dev on "${host}": it believes any name, so only 127.0.0.1`,
    );
  }
  if (!dev && settings.oidcIssuer === null) {
    throw new Error('Cannot start: no identity provider. Set SVC_OIDC_ISSUER, or try --dev');
  }
  if (!dev && settings.webOrigin === null) {
    throw new Error('Cannot start: no web origin. Set SVC_WEB_ORIGIN to the address of the store');
  }
  if (reachableHost(host) === null && settings.publicUrl === null) {
    throw new Error(
      `Cannot start on "${host}" without SVC_PUBLIC_URL: the API would announce 127.0.0.1 in every address that it returns, which no other machine can reach. Set SVC_PUBLIC_URL to the address that clients use, such as https://api.example`,
    );
  }
}

function chooseProvider(settings: Settings, dev: DevProvider | null): IdentityProvider {
  if (settings.oidcIssuer !== null && settings.oidcAudience !== null) {
    return {
      issuer: settings.oidcIssuer,
      audience: settings.oidcAudience,
      jwksUrl: settings.oidcJwksUrl,
      issuerKey: settings.oidcIssuer,
    };
  }
  if (dev === null) throw new Error('Cannot start: no identity provider');
  // Its address changes with the port; its people stay the same.
  return { issuer: dev.issuer, audience: dev.clientId, jwksUrl: null, issuerKey: 'dev' };
}

function portBeside(port: number): number {
  return port === 0 ? 0 : port + DEV_IDENTITY_PORT_STEP;
}

function makeServer(platform: Platform, settings: Settings): Promise<Server> {
  const requestId = countRequests();
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
    first: greetRequests(platform, finder, requestId),
    requestId,
    onFailure: (error) => platform.log(`internal: ${describeError(error)}`),
    routes: (app) => registerRoutes(app, platform),
  });
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
