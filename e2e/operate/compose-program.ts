// Runs the services of the guide's Compose file in the network of this process, uses them, and prints what it saw as JSON.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startOutsideProvider } from '@svc/platform/testing';
import { until } from '../../scripts/until.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import type { Program } from '../cluster/start-program.ts';
import { codeBlocks } from './code-blocks.ts';
import { type Network, openNetwork } from './compose-network.ts';
import { visit } from './compose-visit.ts';
import { guideFile } from './guide-file.ts';
import { settingsFor } from './publish-game.ts';
import { type ComposeService, isLasting, readCompose } from './read-compose.ts';
import { type Bind, CONTAINER_USER, runContainer, startContainer } from './start-container.ts';

const GATEWAY = '10.0.0.1';
const POSTGRES = dirname(globSync('/usr/lib/postgresql/*/bin/initdb').sort().at(-1) ?? '');
/** The folder of the data in the image of PostgreSQL. */
const DATA = '/var/lib/postgresql/data';
/** Programs of this machine in every container. */
const READABLE = ['/usr', '/etc/ssl', ROOT].map((path): Bind => ({ from: path, to: path }));
/** The files that services mount, by their names in the Compose file. */
const MOUNTED = new Map([
  ['./nginx-main.conf', guideFile('compose/nginx-main.conf')],
  ['./svc-tls.conf', guideFile('compose/svc-tls.conf')],
  ['../nginx.conf', guideFile('nginx.conf')],
  ['../prometheus.yml', guideFile('prometheus.yml')],
  ['../svc-alerts.yml', guideFile('svc-alerts.yml')],
]);
const compose = readCompose();
const folder = mkdtempSync(join(tmpdir(), 'svc-compose-'));

/** Makes a folder of the program's user. */
function ownFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chownSync(path, CONTAINER_USER, CONTAINER_USER);
  return path;
}

/** The secrets, as the guide's commands make them, and a certificate that is not trusted by others. */
function makeSecrets(): void {
  chmodSync(folder, 0o755);
  const page = readFileSync(join(ROOT, 'docs/run-it.md'), 'utf8');
  const script = codeBlocks(page).find(({ text }) => text.includes('secrets/SVC_DATABASE_URL'));
  execFileSync('sh', ['-euc', script?.text ?? 'exit 1'], { cwd: folder });
  const names = ['www', 'api', '*.play'].map((name) => `DNS:${name}.games.example`).join(',');
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const files = ['-nodes', '-keyout', 'privkey.pem', '-out', 'fullchain.pem'];
  const subject = ['-subj', '/CN=games.example', '-addext', `subjectAltName=${names}`];
  execFileSync('openssl', [...request, ...files, ...subject], { cwd: folder, stdio: 'ignore' });
  const install = codeBlocks(page).find(({ text }) => text.includes('secrets/tls_key'));
  execFileSync('sh', ['-euc', install?.text ?? 'exit 1'], { cwd: folder });
}

/** The folder that becomes the root of a container: programs of this machine, and no settings of it. */
function makeRoot(name: string): string {
  const root = join(folder, `root-${name}`);
  mkdirSync(join(root, 'etc'), { recursive: true });
  chmodSync(root, 0o755);
  for (const one of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${one}`, join(root, one));
  const user = `user:x:${CONTAINER_USER}:${CONTAINER_USER}::/:/bin/sh\n`;
  writeFileSync(join(root, 'etc/passwd'), user);
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
  return root;
}

/** What the image of PostgreSQL does at the first start. */
function initializeDatabase(name: string, service: ComposeService): void {
  const { POSTGRES_USER: user, POSTGRES_DB: database } = service.environment ?? {};
  const auth = '--auth-local=trust --auth-host=scram-sha-256 --no-sync';
  const script = `cd ${DATA}
    ${POSTGRES}/initdb -D ${DATA} -U ${user} --pwfile=/run/secrets/database_password ${auth}
    echo 'host all all all scram-sha-256' >>pg_hba.conf
    echo "listen_addresses = '*'" >postgresql.conf
    echo "unix_socket_directories = '/var/run/postgresql'" >>postgresql.conf
    echo 'create database ${database}' | ${POSTGRES}/postgres --single -D ${DATA} postgres`;
  const { status, stdout, stderr } = runContainer({
    ...{ name, root: makeRoot(`${name}-first`), env: { PATH: '/usr/bin:/bin' } },
    ...{ command: ['sh', '-euc', script], binds: [...READABLE, ...bindsOf(service)] },
  });
  if (status !== 0) throw new Error(`PostgreSQL has no database: ${stdout}${stderr}`);
}

/** The program of this machine in place of the image's. */
function hostCommand(words: readonly string[]): string[] {
  const [first = '', ...rest] = words;
  const servers = ['svc-platform', 'svc-web'];
  if (servers.includes(first)) {
    const main = join(ROOT, 'packages', first.replace('svc-', ''), 'bin', `${first}.mjs`);
    return [process.execPath, '--disable-sigusr1', main, ...rest];
  }
  if (first === '/usr/lib/svc-server/node') return [process.execPath, ...rest];
  if (first === 'postgres') return [join(POSTGRES, first), '-D', DATA, ...rest];
  if (first === 'nginx') return ['/usr/sbin/nginx', ...rest];
  if (first === '--config.file=/etc/prometheus/prometheus.yml')
    return ['/usr/bin/prometheus', ...words];
  return [...words];
}

function bindsOf({ volumes = [], secrets = [] }: ComposeService): Bind[] {
  const mounted = volumes.map((volume): Bind => {
    const [source = '', to = '', mode] = volume.split(':');
    if (!source.startsWith('.'))
      return { from: ownFolder(`volume-${source}`), to, isWritable: true };
    const from = MOUNTED.get(source);
    if (from === undefined) throw new Error(`The test does not know the file ${source}`);
    return { from, to, isWritable: mode !== 'ro' };
  });
  const secret = secrets.map((name): Bind => {
    const file = compose.secrets[name]?.file ?? '';
    return { from: join(folder, file), to: `/run/secrets/${name}` };
  });
  return [...mounted, ...secret];
}

/** Starts a service, and waits until its health check succeeds. */
async function startService(
  name: string,
  service: ComposeService,
  network: string,
  more: Readonly<Record<string, string>>,
): Promise<Program> {
  const isServer = service.image.startsWith('svc-server:');
  const [, ...check] = service.healthcheck.test;
  const isHealthy = async (): Promise<boolean> => {
    const enter = [`--net=${network}`, ...hostCommand(check)];
    return spawnSync('nsenter', enter, { timeout: 5_000, killSignal: 'SIGKILL' }).status === 0;
  };
  return startContainer(
    {
      ...{ name, network, root: makeRoot(name) },
      command: hostCommand([...(service.entrypoint ?? []), ...(service.command ?? [])]),
      env: { PATH: '/usr/bin:/bin', ...service.environment, ...(isServer ? more : {}) },
      binds: [...READABLE, ...bindsOf(service)],
      temporary: service.tmpfs.map((one) => one.split(':')[0] ?? ''),
    },
    isHealthy,
  );
}

/** Makes a backup with the service of the file. Returns what it printed. */
function backUp(network: Network): string {
  const { backup } = compose.services;
  if (backup === undefined) throw new Error('The file has no service for the backup');
  const { command = [], environment = {}, networks } = backup;
  const { status, stdout, stderr } = runContainer({
    ...{ name: 'backup', root: makeRoot('backup'), command: hostCommand(command) },
    network: network.join(networks.inside.ipv4_address),
    env: { PATH: '/usr/bin:/bin', ...environment },
    binds: [...READABLE, ...bindsOf(backup)],
    // The image has a volume for the spool.
    temporary: ['/tmp', '/spool'],
  });
  if (status !== 0) throw new Error(`No backup: ${stdout}${stderr}`);
  return stdout;
}

/** Passes connections to a port of the network on to one of this process's own. */
function forward(target: number): Promise<number> {
  const server = createServer((socket) => {
    const other = connect(target, '127.0.0.1');
    socket.on('error', () => other.destroy()).pipe(other);
    other.on('error', () => socket.destroy()).pipe(socket);
  });
  return new Promise((resolve) => {
    server.listen(0, GATEWAY, () => {
      const address = server.address();
      server.unref();
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
    });
  });
}

async function main(): Promise<void> {
  await using running = new AsyncDisposableStack();
  running.defer(() => rmSync(folder, { recursive: true, force: true }));
  makeSecrets();
  const network = running.use(openNetwork(GATEWAY));
  const provider = running.use(await startOutsideProvider());
  const keys = await forward(Number(new URL(provider.issuer).port));
  const replaced = {
    ...settingsFor(provider),
    SVC_OIDC_JWKS_URL: `http://${GATEWAY}:${keys}/keys`,
  };
  const healthy: string[] = [];
  const start = async (name: string, service: ComposeService): Promise<void> => {
    const own = network.join(service.networks.inside.ipv4_address);
    running.use(await startService(name, service, own, replaced));
    healthy.push(name);
  };
  const rest = new Map(
    Object.entries(compose.services).filter(([, service]) => isLasting(service)),
  );
  while (rest.size > 0) {
    const next = [...rest].filter(([, { depends_on = {} }]) =>
      Object.keys(depends_on).every((name) => healthy.includes(name)),
    );
    if (next.length === 0) throw new Error('The services wait for each other');
    for (const [name, service] of next) {
      rest.delete(name);
      if (service.image.startsWith('postgres:')) initializeDatabase(name, service);
    }
    await Promise.all(next.map(([name, service]) => start(name, service)));
  }
  const seen = await visit(provider);
  const backup = backUp(network);
  const scraped = await until(scrapedProcesses, (found) => found.length === 4, 'all are scraped');
  process.stdout.write(JSON.stringify({ healthy: healthy.toSorted(), ...seen, scraped, backup }));
}

/** The addresses of the processes whose metrics Prometheus has read. */
async function scrapedProcesses(): Promise<string[]> {
  const address = compose.services['monitoring']?.networks.inside.ipv4_address;
  const answer = await fetch(`http://${address}:9090/api/v1/query?query=up==1`);
  const { data } = (await answer.json()) as {
    data: { result: { metric: { instance: string } }[] };
  };
  return data.result.map(({ metric }) => metric.instance.split(':')[0] ?? '').toSorted();
}

await main();
process.exit(0);
