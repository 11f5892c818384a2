// A whole deployment on one machine: nginx, two processes of the platform and two of the store, PostgreSQL and an object store.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@svc/platform';
import {
  type Ceph,
  cephMissing,
  environmentOf,
  type FlakyProxy,
  newDatabase,
  type OutsideProvider,
  openUpkeep,
  type Postgres,
  postgresMissing,
  startCeph,
  startFlakyProxy,
  startOutsideProvider,
  startPostgres,
} from '@svc/platform/testing';
import { ROOT } from '../../scripts/workspaces.ts';
import { ask } from './ask.ts';
import { nginxMissing, type Ports, startNginx } from './start-nginx.ts';
import { answersOk, findFreePorts, type Program, startProgram } from './start-program.ts';

const API_HOST = 'api.games.example';
const WEB_HOST = 'www.games.example';
/** PostgreSQL of the tests may lose commits when it is killed. With this it does not. */
const KEEP_COMMITS = encodeURIComponent('-c synchronous_commit=on');
const CHECK_MS = 60_000;
/** Longer than a publish of the test takes between two heartbeats on a busy machine. */
export const LEASE_SECONDS = 1;

export type Cluster = AsyncDisposable & {
  readonly api: readonly [Program, Program];
  readonly store: readonly [Program, Program];
  readonly nginx: Program;
  readonly postgres: Postgres;
  readonly ceph: Ceph;
  readonly provider: OutsideProvider;
  /** The connections of each process, in the order of `api` and `store`. */
  readonly links: {
    readonly apiDatabase: readonly [FlakyProxy, FlakyProxy];
    readonly apiFiles: readonly [FlakyProxy, FlakyProxy];
    readonly storeDatabase: readonly [FlakyProxy, FlakyProxy];
  };
  /** Sends a request for the host to nginx, or to one process of the platform. */
  send(host: string, path: string, init?: RequestInit, api?: 0 | 1): Promise<Response>;
  /** Does the upkeep that is due, as a process that no fault hits. The others do it every 20 seconds. */
  runUpkeep(): Promise<void>;
  /** Runs `svc-platform check --grace-hours 0`. Returns its exit code and output. */
  check(): Promise<{ readonly code: number | null; readonly output: string }>;
};

export type Variant = {
  /** Seconds by which the clock of the first process of the platform is ahead. */
  readonly clockSeconds?: number;
  /** Whether each process of the platform has its own namespace of process ids, as in a container. */
  readonly hasNamespaces?: boolean;
};

export const HOSTS = {
  api: API_HOST,
  web: WEB_HOST,
  game: (slug: string): string => `${slug}.play.games.example`,
};

/** The reason why a cluster can't be started on this machine, or null. */
export function clusterMissing({ clockSeconds }: Variant = {}): string | null {
  const clock = clockSeconds === undefined || findFakeTime() !== undefined;
  const ours = nginxMissing() ?? postgresMissing() ?? cephMissing();
  return ours ?? (clock ? null : 'faketime is not installed');
}

/** Starts a cluster. Disposing of it ends all of its processes and removes its files. */
export async function openCluster(variant: Variant = {}): Promise<Cluster> {
  await using starting = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'svc-cluster-'));
  starting.defer(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = starting.use(startPostgres());
  const ceph = starting.use(await startCeph());
  const provider = starting.use(await startOutsideProvider());
  const database = await newDatabase(postgres.url);
  const storage = environmentOf(await ceph.newStorage());
  const two = async <T extends AsyncDisposable>(
    open: (index: 0 | 1) => Promise<T>,
  ): Promise<[T, T]> => {
    const started = await Promise.allSettled([open(0), open(1)]);
    const both = started.map((result) => {
      if (result.status === 'fulfilled') starting.use(result.value);
      return result;
    });
    const [first, second] = both.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    if (first === undefined || second === undefined) throw new Error('unreachable');
    return [first, second];
  };
  const toDatabase = () => startFlakyProxy({ path: postgres.socket });
  const { hostname, port } = new URL(ceph.endpoint);
  const links = {
    apiDatabase: await two(toDatabase),
    apiFiles: await two(() => startFlakyProxy({ port: Number(port), host: hostname })),
    storeDatabase: await two(toDatabase),
  };
  const ports = await choosePorts();
  const common = { provider, ports, variant };
  const through = (proxy: FlakyProxy): string =>
    `postgres://app@127.0.0.1:${proxy.port}${new URL(database).pathname}?options=${KEEP_COMMITS}`;
  const api = await two((index) =>
    startApi(common, index, join(folder, `api-${index}`), {
      SVC_DATABASE_URL: through(links.apiDatabase[index]),
      ...storage,
      SVC_STORAGE_URL: (storage['SVC_STORAGE_URL'] ?? '').replace(
        ceph.endpoint,
        `http://127.0.0.1:${links.apiFiles[index].port}`,
      ),
    }),
  );
  const nginx = starting.use(await startNginx(join(folder, 'nginx'), ports));
  const store = await two((index) => startStore(ports, index, through(links.storeDatabase[index])));
  const send: Cluster['send'] = (host, path, init, direct) =>
    ask(direct === undefined ? ports.outside : ports.api[direct], host, path, init);
  const environment = { ...apiSettings(provider), SVC_DATABASE_URL: database, ...storage };
  const check = () => runCheck(join(folder, 'check'), environment);
  const dataDir = join(folder, 'upkeep');
  mkdirSync(dataDir);
  const upkeep = starting.use(await openUpkeep({ dataDir, settings: readSettings(environment) }));
  const running = starting.move();
  return {
    ...{ api, store, nginx, postgres, ceph, provider, links, send, check },
    runUpkeep: () => upkeep.run(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function choosePorts(): Promise<Ports> {
  const [outside = 0, inside = 0, redirect = 0, ...rest] = await findFreePorts(7);
  const [a = 0, b = 0, c = 0, d = 0] = rest;
  return { outside, inside, redirect, api: [a, b], store: [c, d] };
}

type Common = {
  readonly provider: OutsideProvider;
  readonly ports: Ports;
  readonly variant: Variant;
};

function startApi(
  { provider, ports, variant }: Common,
  index: 0 | 1,
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<Program> {
  const main = join(ROOT, 'packages/platform/bin/svc-platform.mjs');
  const options = ['--port', String(ports.api[index]), '--data-dir', dataDir];
  const wrap = variant.hasNamespaces === true ? ['unshare', '--pid', '--fork', '--kill-child'] : [];
  const clock = index === 0 ? variant.clockSeconds : undefined;
  return startProgram({
    name: `platform ${index}`,
    command: [...wrap, process.execPath, main, ...options],
    isWrapped: wrap.length > 0,
    env: { ...apiSettings(provider), ...env, ...(clock === undefined ? {} : fakeClock(clock)) },
    isReady: () => answersOk(`http://127.0.0.1:${ports.api[index]}/readyz`),
  });
}

function apiSettings(provider: OutsideProvider): Record<string, string> {
  return {
    SVC_PUBLIC_URL: `https://${API_HOST}`,
    SVC_WEB_ORIGIN: `https://${WEB_HOST}`,
    SVC_PLAY_ORIGIN: `https://${HOSTS.game('{slug}')}`,
    SVC_OIDC_ISSUER: provider.issuer,
    SVC_OIDC_AUDIENCE: 'svc-client',
    SVC_DEVELOPER_SIGNUP: 'open',
    SVC_RATE_LIMIT: 'off',
    SVC_TRUST_PROXY: '127.0.0.1',
    SVC_PUBLISH_LEASE_SECONDS: String(LEASE_SECONDS),
    SVC_LIMIT_RELEASES_PER_PROJECT: '100000',
    // A release of the test has several parts.
    SVC_LIMIT_UPLOAD_PART_BYTES: '16384',
    SVC_LIMIT_PROJECTS_PER_DEVELOPER: '100000',
    // A proxy watches, since this test asks for the readiness. It does not look again.
    SVC_DRAIN_SECONDS: '4',
  };
}

function startStore(ports: Ports, index: 0 | 1, databaseUrl: string): Promise<Program> {
  const main = join(ROOT, 'packages/web/bin/svc-web.mjs');
  return startProgram({
    name: `store ${index}`,
    command: [process.execPath, main, '--port', String(ports.store[index])],
    env: {
      SVC_API: `http://127.0.0.1:${ports.inside}`,
      SVC_WEB_ORIGIN: `https://${WEB_HOST}`,
      SVC_WEB_SECRET: 'only-for-this-test-only-for-this-test',
      SVC_WEB_DATABASE_URL: databaseUrl,
      SVC_TRUST_PROXY: '127.0.0.1',
      SVC_DRAIN_SECONDS: '4',
    },
    isReady: () => answersOk(`http://127.0.0.1:${ports.store[index]}/readyz`),
  });
}

function findFakeTime(): string | undefined {
  return globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
}

function fakeClock(seconds: number): Record<string, string> {
  return {
    LD_PRELOAD: findFakeTime() ?? '',
    FAKETIME: `${seconds >= 0 ? '+' : ''}${seconds}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

async function runCheck(dataDir: string, env: Readonly<Record<string, string>>) {
  const main = join(ROOT, 'packages/platform/bin/svc-platform.mjs');
  const args = [main, 'check', '--grace-hours', '0', '--data-dir', dataDir];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: CHECK_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}
