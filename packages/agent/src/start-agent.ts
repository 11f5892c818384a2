// Wires the agent: takes plain options and returns a running session. Everything that can fail at
// the start fails before the server listens.
import { accessSync, constants, realpathSync } from 'node:fs';
import {
  AGENT_ERRORS,
  AGENT_JSON_BODY_BYTES,
  AGENT_LIMITS,
  AGENT_ROUTES,
  type AgentLimits,
  type Ending,
  type RecoveredTrace,
  UNAUTHENTICATED_CONNECTIONS,
} from '@svc/contracts/agent';
import { codeOf, messageOf } from '@svc/contracts/caught';
import { ApiError, type App, createServer, type ServeOptions, type Server } from '@svc/serve';
import {
  type Access,
  authorityOf,
  guardApi,
  guardLive,
  guardPage,
} from './access/guard-request.ts';
import { createToken, tokenCheck } from './access/session-token.ts';
import type { Agent, AgentOptions } from './agent-options.ts';
import { registerAgentRoutes } from './agent-routes.ts';
import { checkOptions } from './check-options.ts';
import { AGENT_CONDITIONS, failure } from './failure.ts';
import { keyringAsker } from './keyring/keyring-process.ts';
import { type LiveHub, liveHub } from './live/live-hub.ts';
import { type PageFile, pageOf } from './page/page-routes.ts';
import { offerProbes, type ProbeOffer } from './probes/offer-probes.ts';
import { ProviderKeys } from './providers/provider-keys.ts';
import { Session } from './session/session.ts';
import { StartError } from './start-error.ts';
import { readableByOthers, UnsafeFolderError } from './storage/check-folder.ts';
import { findLeftOver } from './storage/find-left-over.ts';
import { makeFolders, tracesFolder } from './storage/recording-file.ts';
import type { PinnedProcess } from './target/pin-process.ts';
import { pinTarget } from './target/pin-target.ts';
import { createLastExports, type LastExports } from './trace/last-exports.ts';
import { openTraceFile } from './trace/open-file.ts';
import type { RetainedTrace } from './trace/retained-trace.ts';
import { settledWithin } from './work/settled-within.ts';
import { type StartWorker, workerStarter } from './work/start-worker.ts';
import { type WorkerRole, workerEntry } from './worker-entry.ts';

const HOST = '127.0.0.1';

/**
 * How long live clients may take to answer their close, and then requests may continue, after the
 * session has ended.
 */
const LAST_ANSWERS_MS = 1_800;

/** How long the agent waits, after the end, for open pages to fetch the rest of the recording. */
const LAST_EXPORTS_MS = 1_000;

/** Everything that is prepared before the server listens. */
type Prepared = {
  readonly dataDir: string;
  readonly dataDirWarning: string | null;
  readonly page: readonly PageFile[];
  readonly process: PinnedProcess | null;
  readonly retained: RetainedTrace | null;
  readonly recovered: readonly RecoveredTrace[];
  readonly offers: readonly ProbeOffer[];
  readonly startWorker: StartWorker<WorkerRole>;
};

/** A session that is served. */
type Running = {
  readonly token: string;
  readonly origin: string;
  readonly authenticated: Promise<void>;
  readonly session: Session;
  readonly keys: ProviderKeys;
  readonly hub: LiveHub;
  readonly lastExports: LastExports;
  readonly server: Server;
};

/**
 * Starts an agent. Throws StartError, or the reason of an aborted `signal`. After an error, nothing
 * listens and nothing is left open.
 */
export async function startAgent(given: AgentOptions): Promise<Agent> {
  checkOptions(given);
  const prepared = await prepare(given);
  const running = await serve({ ...given, dataDir: prepared.dataDir }, prepared);
  const { token, origin, authenticated, session, keys } = running;
  session.watch();
  if (given.start) await startOrEnd(running, given.program !== null);
  await letRun(given, running);
  // The keyring is asked only once a page is open, because a locked keyring may ask the user for a
  // password.
  void authenticated.then(() => keys.look());
  const ended = closeAtEnd(running);
  return {
    url: `${origin}/#token=${token}`,
    origin,
    token,
    target: prepared.process?.target ?? null,
    expiresAt: session.expiresAt,
    dataDir: prepared.dataDir,
    dataDirWarning: prepared.dataDirWarning,
    recovered: prepared.recovered,
    authenticated,
    ended,
    end: (reason) => void session.end(reason),
    endAtOnce: (reason) => session.endAtOnce(reason),
    [Symbol.asyncDispose]: async () => {
      await session.end('signal');
      await ended;
    },
  };
}

/** Starts the capture. If that fails, ends the session, waits for its end and throws StartError. */
async function startOrEnd(running: Running, programWaits: boolean): Promise<void> {
  try {
    await running.session.start({ programWaits });
  } catch (error) {
    const ended = closeAtEnd(running);
    await running.session.end('signal');
    await ended;
    if (!(error instanceof ApiError)) throw error;
    const code = error.code === 'storage_full' ? 'storage_full' : 'no_such_process';
    throw new StartError(code, error.message, error);
  }
}

/** Lets the program run. If the signal is aborted before, ends the session and throws its reason; the program does not run. */
async function letRun({ program, signal }: AgentOptions, running: Running): Promise<void> {
  const { session } = running;
  const end = (): void => void session.end('signal');
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  await session.letRun(program);
  signal?.removeEventListener('abort', end);
  if (signal?.aborted !== true) return;
  await closeAtEnd(running);
  signal.throwIfAborted();
}

/** Creates the session and its server, and listens. */
async function serve(options: AgentOptions, prepared: Prepared): Promise<Running> {
  const token = createToken();
  const authenticated = Promise.withResolvers<void>();
  let port = 0;
  const access: Access = {
    authority: () => authorityOf(port),
    isToken: tokenCheck(token),
    authenticated: ({ socket }) => {
      authenticated.resolve();
      server.trust(socket);
    },
  };
  const keys = new ProviderKeys({
    env: options.env,
    providerUrl: options.providerUrl,
    askKeyring: keyringAsker(workerEntry(options.workerUrl), options.env),
    onChange: () => hub.changed(),
  });
  const session: Session = new Session({
    ...sessionOptions(options, prepared),
    keys,
    onBusyChild: options.onBusyChild ?? (() => {}),
    onChange: () => hub.changed(),
    onEnding: () => server.refuseNew(),
  });
  const hub: LiveHub = liveHub(
    () => session.status(),
    (socket, error) => server.refuse(socket, error),
  );
  const lastExports = createLastExports();
  const routes = (app: App): void =>
    registerAgentRoutes(app, {
      ...{ session, keys, lastExports },
      env: options.env,
      startWorker: prepared.startWorker,
      dataDir: options.dataDir,
      limitBytes: options.importLimitBytes,
      requestMs: options.requestMs ?? AGENT_LIMITS.request_ms,
      page: prepared.page,
      authority: access.authority,
    });
  const server: Server = await createServer(
    serveOptions(options, { access, session, hub, routes }),
  );
  port = await listen(server, options.port, () => session.abandon());
  const origin = `http://${access.authority()}`;
  const parts = { session, keys, hub, lastExports, server };
  return { token, origin, authenticated: authenticated.promise, ...parts };
}

async function prepare(options: AgentOptions): Promise<Prepared> {
  const startWorker = workerStarter<WorkerRole>(workerEntry(options.workerUrl));
  const page = pageOf(options.viewer());
  const process = await pinGiven(options);
  let retained: RetainedTrace | null = null;
  try {
    const dataDir = prepareDataDir(options.dataDir);
    const dataDirWarning = readableByOthers(dataDir);
    const { file, importLimitBytes: limitBytes, signal } = options;
    if (file !== null) {
      retained = await openTraceFile(file, { dataDir, limitBytes, startWorker, signal });
    }
    const recovered = await findLeftOver(dataDir);
    const offers = await offerProbes(options.probes, process, options.probePrograms);
    signal?.throwIfAborted();
    const folder = { dataDir, dataDirWarning, recovered };
    return { ...folder, page, process, retained, offers, startWorker };
  } catch (error) {
    await retained?.release();
    process?.release();
    throw error;
  }
}

async function pinGiven({
  pid,
  startTicks,
  program,
  signal,
}: AgentOptions): Promise<PinnedProcess | null> {
  if (program !== null) return await pinTarget(program.pid, { name: program.name, signal });
  return pid === null ? null : await pinTarget(pid, { startTicks, signal });
}

/**
 * Creates the data folder, or checks an existing one. Returns its path with symbolic links
 * resolved, so that it can't be redirected later.
 */
function prepareDataDir(given: string): string {
  try {
    makeFolders(given);
    const dataDir = realpathSync(given);
    for (const folder of [dataDir, tracesFolder(dataDir)]) refuseUnwritable(folder);
    return dataDir;
  } catch (error) {
    const why = messageOf(error);
    if (error instanceof UnsafeFolderError) {
      throw new StartError('data_dir_unsafe', `No recordings can be kept: ${why}`, error);
    }
    throw new StartError('data_dir_unusable', `No recordings can be kept: ${why}`, error);
  }
}

/** Throws if no file could be created in the folder. */
function refuseUnwritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(`Cannot write to the folder ${folder}: permission denied`, { cause: error });
  }
}

function sessionOptions(options: AgentOptions, prepared: Prepared) {
  const { launched, dataDir, follow, version, pssIntervalMs, ttlMs } = options;
  const { process, retained, recovered, offers, startWorker } = prepared;
  const about = { process, launched, retained, recovered, offers, startWorker };
  return {
    ...about,
    place: { dataDir },
    ...{ follow, version, pssIntervalMs },
    capBytes: options.storageCapBytes,
    ttlMs,
    limits: limitsOf(options),
  };
}

function limitsOf(options: AgentOptions): AgentLimits {
  return {
    ...AGENT_LIMITS,
    request_ms: options.requestMs ?? AGENT_LIMITS.request_ms,
    storage_cap_bytes: options.storageCapBytes,
    import_bytes: options.importLimitBytes,
  };
}

type ServedParts = {
  readonly access: Access;
  readonly session: Session;
  readonly hub: LiveHub;
  readonly routes: (app: App) => void;
};

function serveOptions(
  options: AgentOptions,
  { access, session, hub, routes }: ServedParts,
): ServeOptions {
  return {
    errors: AGENT_ERRORS,
    codes: AGENT_CONDITIONS,
    requestMs: options.requestMs ?? AGENT_LIMITS.request_ms,
    handlers: AGENT_LIMITS.handlers,
    untrustedConnections: UNAUTHENTICATED_CONNECTIONS,
    bodyBytes: AGENT_JSON_BODY_BYTES,
    guard: ({ raw, routeOptions }) =>
      isApi(routeOptions?.url ?? raw.url ?? '') ? guardApi(access, raw) : guardPage(access, raw),
    onFailure: options.onFailure ?? (() => {}),
    upgrade: {
      wants: ({ method, url = '', headers }) =>
        method === AGENT_ROUTES.live.method &&
        url.replace(/\?.*/, '') === AGENT_ROUTES.live.path &&
        /\bwebsocket\b/i.test(headers.upgrade ?? ''),
      handle: (request, socket, head) => {
        guardLive(access, request);
        if (session.isEnding)
          throw failure('shutting_down', 'Cannot connect: the session is ending');
        hub.accept(request, socket, head);
      },
    },
    routes,
  };
}

/**
 * Whether a URL is under /api, in any spelling. URLs without a route are compared after decoding.
 */
function isApi(url: string): boolean {
  const path = url.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*/, '');
  return /^\/+api(\/|$)/i.test(decodeLoosely(path));
}

function decodeLoosely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function listen(server: Server, port: number, abandon: () => Promise<void>): Promise<number> {
  try {
    return await server.listen({ host: HOST, port });
  } catch (error) {
    await server.close(0);
    await abandon();
    const code = codeOf(error);
    if (code === 'EADDRINUSE') {
      const advice = 'choose another port with --port, or end that program';
      const message = `Cannot listen on ${HOST}:${port}: another program uses port ${port}; ${advice}`;
      throw new StartError('port_busy', message, error);
    }
    const why =
      code === 'EACCES' ? 'this user may not use this port; choose another port with --port' : code;
    throw new StartError('port_refused', `Cannot listen on ${HOST}:${port}: ${why}`, error);
  }
}

/**
 * Closes in this order once the session has ended: the capture is flushed, live clients receive the
 * last status and fetch the rest, then the server stops listening.
 */
async function closeAtEnd({ session, keys, hub, server, lastExports }: Running): Promise<Ending> {
  const ending = await session.ended;
  const closeBy = performance.now() + LAST_ANSWERS_MS;
  // A keyring operation has no time limit of its own, so requests that wait for one are answered
  // first.
  keys.release();
  await settledWithin(informPages(ending, hub, lastExports), LAST_ANSWERS_MS);
  await server.close(Math.max(0, closeBy - performance.now()));
  await session.release();
  return ending;
}

/** Sends the last status to every page and waits for those that fetch the rest of the recording. */
async function informPages(ending: Ending, hub: LiveHub, lastExports: LastExports): Promise<void> {
  const clients = await hub.end();
  if (ending.trace !== null) await lastExports.wait(clients, LAST_EXPORTS_MS);
}
