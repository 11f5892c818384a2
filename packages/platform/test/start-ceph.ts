// A temporary S3 server from this machine's packages: Ceph with one monitor, one OSD in memory, and a gateway.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopProcess } from '../../../scripts/stop-process.ts';
import { until } from '../../../scripts/until.ts';
import type { StorageSettings } from '../src/files/s3/connect-store.ts';

export type Ceph = AsyncDisposable & {
  /** Address of the gateway. */
  readonly endpoint: string;
  /** Creates a bucket and returns the settings of a store in it. */
  newStorage(): Promise<StorageSettings>;
  /** Sends a signal to the gateway: `SIGSTOP` makes the server hang, `SIGKILL` makes it refuse connections. */
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void;
  /** Starts the gateway again after it was killed. */
  restart(): Promise<void>;
  /** Runs `radosgw-admin` and returns what it prints. */
  admin(...args: readonly string[]): string;
};

const PROGRAMS = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin'];
const CREDENTIALS = { accessKeyId: 'testkey', secretAccessKey: 'testsecret' };
const STEP_MS = 60_000;
/** Another program may take a port after it was found and before Ceph listens on it. */
const TRIES = 3;

/**
 * Reads process ids, one a line. When its input ends, which happens at the latest with the test's process, it kills them
 * and removes the folder.
 */
const CLEANER = `while read -r pid; do pids="$pids $pid"; done
kill -9 $pids 2>/dev/null
for pid in $pids; do
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 $pid 2>/dev/null && sleep 0.1; done
done
rm -rf "$0"`;

/** The reason why Ceph is not available, or null. */
export function cephMissing(): string | null {
  return PROGRAMS.every((name) => existsSync(`/usr/bin/${name}`)) ? null : 'Ceph is not installed';
}

/** Starts Ceph without durability, for the duration of the test. */
export async function startCeph(): Promise<Ceph> {
  for (let tries = 1; ; tries++) {
    const folder = openFolder();
    try {
      return await startIn(folder);
    } catch (error) {
      await folder[Symbol.asyncDispose]();
      if (tries === TRIES) throw error;
    }
  }
}

type Folder = AsyncDisposable & {
  readonly path: string;
  /** Runs a program to its end and returns what it prints. */
  run(name: string, ...args: readonly string[]): string;
  /** Starts a program that runs until the folder is disposed of. */
  start(name: string, ...args: readonly string[]): ChildProcess;
};

/** Creates a folder. Disposing of it, or the end of this process, ends its programs and removes it. */
function openFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'svc-ceph-'));
  const config = ['-c', join(path, 'ceph.conf')];
  const cleaner = spawn('sh', ['-c', CLEANER, path], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  return {
    path,
    run(name, ...args) {
      const { status, stdout, stderr } = spawnSync(name, [...config, ...args], {
        cwd: path,
        encoding: 'utf8',
        timeout: STEP_MS,
      });
      if (status !== 0) throw new Error(`Cannot run ${name}: ${stdout}${stderr}`);
      return stdout;
    },
    start(name, ...args) {
      const log = openSync(join(path, `${name}.out`), 'a');
      const child = spawn(name, [...config, ...args, '-f'], {
        cwd: path,
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      cleaner.stdin.write(`${child.pid}\n`);
      return child;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(cleaner, 'exit', { signal: AbortSignal.timeout(STEP_MS) });
      cleaner.stdin.end();
      await exited;
    },
  };
}

async function startIn(folder: Folder): Promise<Ceph> {
  const [monitor = 0, port = 0] = await findFreePorts(2);
  const id = randomUUID();
  writeFileSync(join(folder.path, 'ceph.conf'), configure(folder.path, id, monitor, port));
  startStorage(folder, id, monitor);
  const keys = [
    `--access-key=${CREDENTIALS.accessKeyId}`,
    `--secret-key=${CREDENTIALS.secretAccessKey}`,
  ];
  folder.run('radosgw-admin', 'user', 'create', '--uid=test', '--display-name=test', ...keys);
  const endpoint = `http://127.0.0.1:${port}`;
  const startGateway = async (): Promise<ChildProcess> => {
    const child = folder.start('radosgw', '-n', 'client.rgw.a');
    await until(
      () => child.exitCode !== null || answers(endpoint),
      (isReady) => isReady,
      'the gateway answers',
      STEP_MS,
    );
    if (child.exitCode !== null) throw new Error('The gateway has exited');
    return child;
  };
  let gateway = await startGateway();
  return {
    endpoint,
    newStorage: () => newStorage(endpoint),
    signal: (name) => (name === 'SIGSTOP' ? stopProcess(gateway) : void gateway.kill(name)),
    async restart() {
      gateway = await startGateway();
    },
    admin: (...args) => folder.run('radosgw-admin', ...args),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function newStorage(endpoint: string): Promise<StorageSettings> {
  const bucket = `bucket-${randomUUID()}`;
  const address = { endpoint, region: 'us-east-1', credentials: CREDENTIALS };
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ ...address, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { ...address, bucket, prefix: 'a/b/', timeoutMs: 4000, redirects: false };
}

/** Returns the environment of a server that stores its files there. */
export function environmentOf(storage: StorageSettings): Record<string, string> {
  const { bucket, prefix, endpoint, region, timeoutMs, redirects, credentials } = storage;
  return {
    SVC_STORAGE_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=${region}`,
    SVC_STORAGE_TIMEOUT_MS: String(timeoutMs),
    SVC_STORAGE_DOWNLOADS: redirects ? 'redirect' : 'stream',
    AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
  };
}

/** Starts the monitor and the OSD. */
function startStorage(folder: Folder, id: string, port: number): void {
  const addKey = (name: string, ...caps: readonly string[]): void => {
    const args = caps.flatMap((cap) => ['--cap', ...cap.split(': ')]);
    folder.run('ceph-authtool', 'keyring', '--gen-key', '-n', name, ...args);
  };
  folder.run('ceph-authtool', '--create-keyring', 'keyring');
  addKey('mon.', 'mon: allow *');
  addKey('client.admin', 'mon: allow *', 'osd: allow *');
  addKey('client.rgw.a', 'mon: allow rwx', 'osd: allow rwx');
  addKey('osd.0', 'mon: allow profile osd', 'osd: allow *');
  folder.run(
    'monmaptool',
    '--create',
    '--fsid',
    id,
    '--addv',
    'a',
    `[v2:127.0.0.1:${port}]`,
    'monmap',
  );
  folder.run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', 'monmap', '--keyring', 'keyring');
  folder.start('ceph-mon', '-i', 'a');
  const osd = randomUUID();
  folder.run('ceph', '--connect-timeout', '30', 'osd', 'create', osd);
  mkdirSync(join(folder.path, 'osd'));
  folder.run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd);
  folder.start('ceph-osd', '-i', '0');
}

/** Without `paxos …` each pool takes two seconds, and without `tcp_nodelay` each answer takes 40 ms. */
function configure(folder: string, id: string, monitor: number, gateway: number): string {
  return `[global]
fsid = ${id}
mon host = [v2:127.0.0.1:${monitor}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth allow insecure global id reclaim = false
keyring = ${folder}/keyring
run dir = ${folder}
admin socket = ${folder}/$name.asok
pid file = ${folder}/$name.pid
log file = ${folder}/$name.log
mon cluster log file = ${folder}/cluster.log
crash dir = ${folder}
mon data = ${folder}/mon
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 4294967296
paxos propose interval = 0.05
paxos min wait = 0.01
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon osd min up ratio = 0
mon data avail crit = 1
ms bind ipv6 = false
ms bind msgr1 = false
rgw frontends = beast endpoint=127.0.0.1:${gateway} tcp_nodelay=1
rgw dns name = 127.0.0.1
rgw thread pool size = 64
rgw run sync thread = false
`;
}

async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  return Promise.all(
    servers.map(async (server) => {
      await once(server, 'listening');
      const address = server.address();
      await new Promise((resolve) => server.close(resolve));
      return typeof address === 'object' ? (address?.port ?? 0) : 0;
    }),
  );
}

async function answers(endpoint: string): Promise<boolean> {
  const answer = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
  await answer?.body?.cancel();
  return answer !== null;
}
