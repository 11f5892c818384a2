// Extracts a ZIP of 500 MB with 2,000 mixed files: our reader, with all checks, SHA-256 and description of each file, compared
// with readers that check less and compute no hashes. Then the time until an overlap bomb is rejected.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { quotedOverlapBomb } from '@svc/game-build/testing';
import { bufferSource, readArchive } from '../packages/game-build/src/index.ts';

const FILES = 2000;
const ROUNDS = 3;
const HERE = join(import.meta.dirname, 'zip-read');

type Timing = { ms: number; rssMib: number | null };

async function main(): Promise<void> {
  const versions = readVersions();
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-zip-'));
  try {
    await measureBomb();
    const zip = makeZip(folder);
    console.log(`${(statSync(zip).size / 1e6).toFixed(0)} MB, ${FILES} files`);
    report(measure(zip, folder), versions);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same files in each run: 40 % text, 30 % code-like binaries, 30 % incompressible data; 1 kB to 24 MB. */
function makeZip(folder: string): string {
  const source = join(folder, 'source');
  for (let i = 0; i < FILES; i++) {
    const path = join(
      source,
      `f${i % 40}`,
      `${i}.${i % 10 < 4 ? 'json' : i % 10 < 7 ? 'bin' : 'png'}`,
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contentOf(i));
  }
  writeFileSync(join(source, 'index.html'), '<!doctype html><title>x</title>');
  const zip = join(folder, 'build.zip');
  const made = spawnSync('zip', ['-qr', '-1', zip, '.'], { cwd: source, stdio: 'inherit' });
  if (made.status !== 0) throw new Error('Cannot make the ZIP');
  rmSync(source, { recursive: true });
  return zip;
}

const NOISE = noise(4 << 20);

function contentOf(i: number): Buffer {
  const length = Math.round(1000 * 1.0039 ** (i % 1000) * 32 + (i % 400 === 0 ? 20e6 : 0));
  if (i % 10 >= 7) return repeated(NOISE, i * 1013, length);
  if (i % 10 >= 4) return Buffer.from(repeated(NOISE, i * 7, length).map((byte) => byte & 0x1f));
  return repeated(
    Buffer.from(
      JSON.stringify(
        Array.from({ length: 4000 }, (_, k) => ({
          id: k,
          x: (k * 7919) % 1013,
          name: `item ${k * i}`,
        })),
      ),
    ),
    i,
    length,
  );
}

function repeated(from: Buffer, offset: number, length: number): Buffer {
  const at = offset % from.length;
  const parts = [from.subarray(at)];
  for (let have = from.length - at; have < length; have += from.length) parts.push(from);
  return Buffer.concat(parts).subarray(0, length);
}

function noise(length: number): Buffer {
  const blocks = Array.from({ length: length / 64 }, (_, i) =>
    createHash('sha512').update(String(i)).digest(),
  );
  return Buffer.concat(blocks);
}

function measure(zip: string, folder: string): Map<string, Timing[]> {
  const node = process.execPath;
  const peer = (name: string, out: string): string[] => [
    node,
    join(HERE, 'peers.mjs'),
    name,
    zip,
    out,
  ];
  const readers: Record<string, (out: string) => string[]> = {
    ours: (out) => [node, join(HERE, 'ours.ts'), zip, out],
    unzip: (out) => ['unzip', '-q', zip, '-d', out],
    bsdtar: (out) => ['bsdtar', '-xf', zip, '-C', out],
    yauzl: (out) => peer('yauzl', out),
    fflate: (out) => peer('fflate', out),
    'zip.js': (out) => peer('zip.js', out),
  };
  const timings = new Map<string, Timing[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, command] of Object.entries(readers)) {
      const out = join(folder, 'out');
      mkdirSync(out);
      const [program = '', ...args] = command(out);
      const start = performance.now();
      const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
      const ms = performance.now() - start;
      rmSync(out, { recursive: true });
      if (status !== 0) throw new Error(`${name}: ${stderr}`);
      const rssMib = /^\d+\s*$/.test(stdout) ? Number(stdout) / 1024 : null;
      timings.set(name, [...(timings.get(name) ?? []), { ms, rssMib }]);
    }
  }
  return timings;
}

function report(
  timings: ReadonlyMap<string, readonly Timing[]>,
  versions: Readonly<Record<string, string>>,
): void {
  const best = (name: string): number =>
    Math.min(...(timings.get(name) ?? []).map((one) => one.ms));
  for (const [name, all] of timings) {
    const memory = Math.max(...all.map((one) => one.rssMib ?? 0));
    const ratio = (best(name) / best('unzip')).toFixed(2);
    const version = versions[name] ?? '';
    const size = memory > 0 ? `, ${memory.toFixed(0)} MiB` : '';
    console.log(
      `${`${name} ${version}`.padEnd(18)} ${(best(name) / 1000).toFixed(2)} s, ${ratio} of unzip's time${size}`,
    );
  }
}

function readVersions(): Record<string, string> {
  const ask = (command: string, ...args: string[]): string =>
    spawnSync(command, args, { encoding: 'utf8' }).stdout;
  const peers = JSON.parse(ask(process.execPath, join(HERE, 'peers.mjs'), 'version')) as Record<
    string,
    string
  >;
  return {
    ...peers,
    unzip: /UnZip (\S+)/.exec(ask('unzip', '-v'))?.[1] ?? '',
    bsdtar: /bsdtar (\S+)/.exec(ask('bsdtar', '--version'))?.[1] ?? '',
  };
}

/** The first rejection in a new process is reported, because a server meets a bomb without warm-up. */
async function measureBomb(): Promise<void> {
  const bomb = quotedOverlapBomb(2500);
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    const refused = await readArchive(bufferSource(bomb)).catch((error: unknown) => error);
    times.push(performance.now() - start);
    if (!(refused instanceof Error && 'code' in refused && refused.code === 'zip_overlap')) {
      throw new Error('The bomb was not rejected');
    }
  }
  const [first = 0, ...later] = times.map((ms) => Number(ms.toFixed(1)));
  console.log(
    `overlap bomb of ${(bomb.length / 1024).toFixed(0)} KiB that declares 2.6 GB: rejected in ${first} ms at first, then ${Math.min(...later)} ms`,
  );
}

await main();
