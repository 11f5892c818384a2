// Publishing a build of 487 MB and 2,001 files with svc, whole and after a change of one file, compared with the same build as a ZIP
// and with rsync of the same folder over loopback.
// `node bench/publish-delta.bench.ts [MB]` measures another size.
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { signInDeveloper, startProcess } from '@svc/platform/testing';
import { startCountingProxy } from '../e2e/cli/counting-proxy.ts';
import { until } from '../scripts/until.ts';
import { installSvc } from './install-svc.ts';
import { hasProgram, median } from './platform/measure.ts';

const ROUNDS = 3;
const FILES = 2000;
const TEXTS = 100;
/** Packs a folder as svc does it for a ZIP. */
const PACK = `import { packToFile } from '@svc/game-build'; await packToFile(process.argv[1], process.argv[2])`;
const BYTES = Math.floor((Number(process.argv[2] ?? 487) * 1e6) / FILES);

type Times = { whole: number[]; zip: number[]; one: number[]; rsync: number[]; checksum: number[] };

/** Ends what was started, in reverse order. */
type Ends = { after(work: () => unknown): void };

async function main(): Promise<void> {
  if (!hasProgram('rsync', 'everything')) return;
  const works: (() => unknown)[] = [];
  const ends: Ends = { after: (work) => works.unshift(work) };
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-delta-'));
  ends.after(() => rmSync(folder, { recursive: true, force: true }));
  try {
    await measure(ends, folder);
  } finally {
    for (const work of works) await work();
  }
}

async function measure(ends: Ends, folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  makeBuild(dist);
  const zip = join(folder, 'build.zip');
  const platform = await startPlatform(ends, folder);
  const copy = await startRsync(ends, folder);
  const times: Times = { whole: [], zip: [], one: [], rsync: [], checksum: [] };
  const shares: number[] = [];
  await copy(dist, []);
  for (let round = 0; round < ROUNDS; round++) {
    platform.newProject(`ZIP ${round}`);
    times.zip.push(
      (await timed(process.execPath, ['--input-type=module', '-e', PACK, dist, zip])) +
        (await platform.publish(zip, '1')),
    );
    rmSync(zip);
    platform.newProject(`Parts ${round}`);
    const before = platform.sent();
    times.whole.push(await platform.publish('dist', '1'));
    const between = platform.sent();
    const changed = join(dist, `f${TEXTS + round}.bin`);
    writeFileSync(changed, randomBytes(BYTES));
    times.one.push(await platform.publish('dist', '2'));
    shares.push((platform.sent() - between) / (between - before));
    times.rsync.push(await copy(dist, []));
    writeFileSync(changed, randomBytes(BYTES));
    times.checksum.push(await copy(dist, ['--checksum']));
  }
  report(times, median(shares));
}

function report(times: Times, share: number): void {
  const at = (name: keyof Times): number => median(times[name]);
  const seconds = (name: keyof Times): string => `${at(name).toFixed(2)} s`;
  const ratio = (a: keyof Times, b: keyof Times): string => (at(a) / at(b)).toFixed(3);
  const version = /version (\S+)/.exec(
    spawnSync('rsync', ['--version'], { encoding: 'utf8' }).stdout,
  )?.[1];
  const megabytes = Math.round((BYTES * FILES) / 1e6);
  console.log(
    `${megabytes} MB, ${FILES + 1} files: first publish in parts ${seconds('whole')}, packed and as a ZIP ${seconds('zip')}: ratio ${ratio('whole', 'zip')}`,
  );
  console.log(
    `one file changed: publish ${seconds('one')}, ${ratio('one', 'whole')} of the first publish and ${ratio('one', 'zip')} of the ZIP, with ${(100 * share).toFixed(2)} % of the bytes`,
  );
  console.log(
    `rsync ${version} of the same change: ${seconds('rsync')} (by size and time), ${seconds('checksum')} (by checksum): publish takes ${ratio('one', 'rsync')} and ${ratio('one', 'checksum')} times as long`,
  );
}

/** A twentieth of the files is text. The others cannot be compressed, except for their first quarter. */
function makeBuild(dist: string): void {
  mkdirSync(dist);
  writeFileSync(join(dist, 'index.html'), '<!doctype html><title>Bench</title>');
  const line = 'call(value, index, other);\n';
  const quarter = Buffer.alloc(BYTES >> 2);
  for (let index = 0; index < FILES; index++) {
    const isText = index < TEXTS;
    const content = isText
      ? line.repeat((BYTES / 40) | 0) + randomBytes(1000).toString('hex')
      : Buffer.concat([quarter, randomBytes(BYTES - quarter.length)]);
    writeFileSync(join(dist, `f${index}.${isText ? 'js' : 'bin'}`), content);
  }
}

/** A platform, and svc in the folder of the game. What svc sends is counted. */
async function startPlatform(ends: Ends, folder: string) {
  const server = await startProcess(join(folder, 'data'), {
    SVC_LIMIT_PROJECT_BYTES: String(2 ** 40),
  });
  ends.after(() => server.kill());
  const proxy = await startCountingProxy(ends, server.baseUrl);
  const { client } = await signInDeveloper(server, 'Bench');
  const { secret } = await client.call('createToken', { body: { name: 'bench' } });
  const svc = await installSvc(folder);
  const env = {
    ...process.env,
    ...{ HOME: folder, SVC_BROWSER: 'none', SVC_TOKEN: secret, SVC_API: proxy.url },
  };
  return {
    sent: () => proxy.sent,
    /** The next publish creates a project, so that nothing of it is stored. */
    newProject(title: string): void {
      writeFileSync(join(folder, 'svc.json'), JSON.stringify({ title, build: 'dist' }));
    },
    /** Publishes a folder or a ZIP. The proxy is in this process, so it must not be blocked. */
    publish: (what: string, version: string): Promise<number> =>
      timed(process.execPath, [svc, 'publish', what, '--version', version, '--json'], {
        ...{ cwd: folder, env },
      }),
  };
}

/** A daemon of rsync, and the function that copies a folder to it. */
async function startRsync(ends: Ends, folder: string) {
  const port = await freePort();
  const config = join(folder, 'rsyncd.conf');
  const target = join(folder, 'copy');
  mkdirSync(target);
  writeFileSync(
    config,
    `use chroot = no\naddress = 127.0.0.1\nport = ${port}\n[copy]\npath = ${target}\nread only = no\nuid = ${process.getuid?.()}\ngid = ${process.getgid?.()}\n`,
  );
  const daemon = spawn('rsync', ['--daemon', '--no-detach', `--config=${config}`], {
    stdio: 'inherit',
  });
  ends.after(() => daemon.kill());
  await until(() => isListening(port), Boolean, 'rsync listens');
  return (dist: string, options: readonly string[]): Promise<number> =>
    timed('rsync', ['-a', '--delete', ...options, `${dist}/`, `rsync://127.0.0.1:${port}/copy/`]);
}

/** Runs a program to its end. Returns the seconds. */
async function timed(
  program: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<number> {
  const start = performance.now();
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${errors}`);
  return (performance.now() - start) / 1000;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

await main();
