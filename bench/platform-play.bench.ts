// Serving files of a published game, compared with nginx (the same headers, one worker), sirv and @fastify/static
// (without these headers, which is an advantage for them), in turns in one run.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gameHeaders } from '@svc/delivery';
import { startProcess } from '@svc/platform/testing';
import { hasProgram, median, requestsPerSecond, startOnPort } from './platform/measure.ts';
import { publishGame } from './platform/publish-game.ts';

const ROUNDS = 3;
const SECONDS = 3;
const SIZES = { '10 KB': 10_240, '1 MB': 1_000_000 };

type Peer = { readonly name: string; readonly version: string; readonly base: string };

async function main(): Promise<void> {
  if (!hasProgram('wrk', 'everything')) return;
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-play-'));
  const children: ChildProcess[] = [];
  try {
    const files = Object.fromEntries(
      Object.values(SIZES).map((bytes) => [`f${bytes}.bin`, randomBytes(bytes)]),
    );
    mkdirSync(join(folder, 'files'));
    for (const [name, bytes] of Object.entries(files))
      writeFileSync(join(folder, 'files', name), bytes);
    const peers = [
      await startOurs(folder, files, children, { name: 'platform', environment: {} }),
      await startOurs(folder, files, children, {
        name: 'platform without lines of requests',
        environment: { SVC_LOG_LEVEL: 'warn' },
      }),
      ...(await startPeers(folder, children)),
    ];
    measure(peers);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function measure(peers: readonly Peer[]): void {
  for (const [size, bytes] of Object.entries(SIZES)) {
    const rates = new Map(peers.map((peer) => [peer.name, [] as number[]]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const { name, base } of peers) {
        rates.get(name)?.push(requestsPerSecond(`${base}/f${bytes}.bin`, SECONDS));
      }
    }
    const ours = median(rates.get('platform') ?? []);
    for (const { name, version } of peers) {
      const rate = median(rates.get(name) ?? []);
      const ratio =
        name === 'platform' ? '' : `, platform ${(ours / rate).toFixed(2)} times as fast`;
      console.log(`${size}: ${name} ${version}: ${Math.round(rate)} requests/s${ratio}`);
    }
  }
}

async function startOurs(
  folder: string,
  files: Record<string, Buffer>,
  children: ChildProcess[],
  { name, environment }: { name: string; environment: Readonly<Record<string, string>> },
): Promise<Peer> {
  const server = await startProcess(join(folder, `data of ${name}`), environment);
  children.push(server.child);
  const slug = await publishGame(server, files);
  return { name, version: process.version, base: `${server.baseUrl}/play/${slug}` };
}

async function startPeers(folder: string, children: ChildProcess[]): Promise<Peer[]> {
  const root = join(folder, 'files');
  const peers: Peer[] = [];
  for (const name of ['sirv', '@fastify/static']) {
    const script = join(import.meta.dirname, 'platform/peers.mjs');
    const { port, child } = await startOnPort([process.execPath, script, name, root]);
    children.push(child);
    peers.push({ name, version: versionOf(name), base: `http://127.0.0.1:${port}` });
  }
  if (hasProgram('nginx', 'nginx', 'nginx-light'))
    peers.unshift(await startNginx(folder, root, children));
  return peers;
}

async function startNginx(folder: string, root: string, children: ChildProcess[]): Promise<Peer> {
  const port = 20_000 + (process.pid % 20_000);
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 256; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; client_body_temp_path ${folder}/b;
proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
server { listen 127.0.0.1:${port}; root ${root}; ${sameHeaders()} } }\n`,
  );
  const child = spawn('nginx', ['-c', config, '-e', join(folder, 'nginx.log')], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
  });
  // SIGTERM makes the master process end its worker. SIGKILL would leave the worker running.
  children.push(Object.assign(child, { kill: () => process.kill(child.pid ?? 0, 'SIGTERM') }));
  const base = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 50; tries++) {
    const answer = await fetch(base).catch(() => null);
    if (answer !== null) break;
    await setTimeout(50);
  }
  const { stderr } = spawnSync('sh', ['-c', 'PATH=$PATH:/usr/sbin nginx -v'], { encoding: 'utf8' });
  return { name: 'nginx', version: /nginx\/([\d.]+)/.exec(stderr)?.[1] ?? '', base };
}

/** The headers of the platform's responses. nginx sends them too, so that both do the same work. */
function sameHeaders(): string {
  const list = gameHeaders('http://127.0.0.1:8788', 'credentialless');
  let lines = '';
  for (let index = 0; index < list.length; index += 2) {
    lines += `add_header ${list[index]} "${list[index + 1]}"; `;
  }
  return lines;
}

function versionOf(name: string): string {
  const text = readFileSync(
    join(import.meta.dirname, 'node_modules', name, 'package.json'),
    'utf8',
  );
  const manifest: { version: string } = JSON.parse(text);
  return manifest.version;
}

await main();
