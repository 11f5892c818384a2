// Publishing a build of 500 MB, with all checks, hashes and synced files, compared with `unzip` of the same file.
// `node bench/platform-publish.bench.ts [art|text] [MIB]` measures one of the builds with another size.
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type PlatformProcess, signInDeveloper, startProcess } from '@svc/platform/testing';
import { hasProgram, median } from './platform/measure.ts';

const ROUNDS = 2;
const FILES = 1000;
const MIB = 1024 * 1024;
const PACKED_MIB = Number(process.argv[3] ?? 480);

/** The content of the build: `art` is already compressed, as engines export it; `text` can be compressed further. */
const BUILDS = {
  art: ['art, nothing to compress', 0],
  text: ['a tenth of it text and code', 0.1],
} as const;

async function main(): Promise<void> {
  if (!['zip', 'unzip', 'curl'].every((name) => hasProgram(name, 'everything'))) return;
  for (const [part, [name, share]] of Object.entries(BUILDS)) {
    if (part !== (process.argv[2] ?? part)) continue;
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-publish-'));
    try {
      await measure(name, folder, makeBuild(folder, share));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function measure(name: string, folder: string, zip: string): Promise<void> {
  const server = await startProcess(join(folder, 'data'), {
    SVC_LIMIT_PROJECT_BYTES: String(2 ** 40),
  });
  const unzips: number[] = [];
  const publishes: number[] = [];
  try {
    const publish = await preparePublish(server);
    for (let round = 0; round < ROUNDS; round++) {
      unzips.push(timeUnzip(zip, join(folder, 'out')));
      publishes.push(await publish(zip));
    }
    const peak = /VmHWM:\s+(\d+)/.exec(
      readFileSync(`/proc/${server.child.pid}/status`, 'utf8'),
    )?.[1];
    const [unzip, ours] = [median(unzips), median(publishes)];
    const version = /UnZip ([\d.]+)/.exec(
      spawnSync('unzip', ['-v'], { encoding: 'utf8' }).stdout,
    )?.[1];
    console.log(
      `${name}, ${Math.round(statSync(zip).size / MIB)} MiB: publish ${ours.toFixed(2)} s, unzip ${version} ${unzip.toFixed(2)} s:`,
      `publish takes ${(ours / unzip).toFixed(2)} times as long; the server's peak is ${Math.round(Number(peak) / 1024)} MiB`,
    );
  } finally {
    await server.kill();
  }
}

/** A build of about half a gigabyte as ZIP. */
function makeBuild(folder: string, textShare: number): string {
  const root = join(folder, 'build');
  mkdirSync(root);
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>Bench</title>');
  const bytes = Math.round((PACKED_MIB * MIB) / FILES);
  for (let index = 0; index < FILES; index++) {
    const isText = index < FILES * textShare;
    writeFileSync(
      join(root, `f${index}.${isText ? 'js' : 'bin'}`),
      isText ? wordy(bytes) : halfPacked(bytes),
    );
  }
  const zip = join(folder, 'build.zip');
  spawnSync('zip', ['-q', '-r', '-1', zip, '.'], { cwd: root });
  rmSync(root, { recursive: true });
  return zip;
}

/** Bytes that deflate reduces by a third, like weakly compressed images and audio. */
function halfPacked(bytes: number): Buffer {
  return Buffer.concat([Buffer.alloc(bytes >> 1), randomBytes(bytes)]);
}

function wordy(bytes: number): string {
  let text = '';
  while (text.length < bytes) {
    text += `const ${createHash('sha1').update(randomBytes(8)).digest('hex').slice(0, 9)} = call(value, index, other);\n`;
  }
  return text;
}

function timeUnzip(zip: string, target: string): number {
  rmSync(target, { recursive: true, force: true });
  const start = performance.now();
  const { status } = spawnSync('unzip', ['-q', zip, '-d', target]);
  if (status !== 0) throw new Error('unzip failed');
  const seconds = (performance.now() - start) / 1000;
  rmSync(target, { recursive: true, force: true });
  return seconds;
}

/** Publishes with curl, each time to a new project, so that no file is stored already. */
async function preparePublish(server: PlatformProcess): Promise<(zip: string) => Promise<number>> {
  const { client, idToken } = await signInDeveloper(server, 'Bench');
  return async (zip) => {
    // Idle connections were closed while a program ran. This request notices it, so that the next call does not fail.
    await setTimeout(100);
    const { game } = await client.call('createProject', { body: { title: 'Bench' } });
    const url = `${server.baseUrl}/projects/${game.id}/publish`;
    const auth = `Authorization: Bearer ${idToken}`;
    const start = performance.now();
    const { stdout } = spawnSync(
      'curl',
      [
        '-sS',
        '-H',
        auth,
        '-H',
        'Expect:',
        '-F',
        'version=1',
        '-F',
        `build=@${zip}`,
        '-w',
        '%{http_code}',
        '-o',
        '/dev/null',
        url,
      ],
      { encoding: 'utf8' },
    );
    if (stdout !== '201') throw new Error(`publish answered ${stdout}`);
    const seconds = (performance.now() - start) / 1000;
    await setTimeout(100);
    await client.call('deleteProject', { params: { id: game.id } });
    await client.call('removeDeletedGame', { params: { id: game.id } });
    return seconds;
  };
}

await main();
