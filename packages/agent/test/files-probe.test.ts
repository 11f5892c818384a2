// The probe `files` on a real program that reads and maps files of known sizes: exactly the bytes
// that it read are reported.
import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Status } from '@svc/contracts/agent';
import type { AssetRecord } from '@svc/trace';
import { skippedWithoutBpf } from './can-observe.ts';
import { ask, startTestAgent, type TestAgent, temporaryFolder, until } from './harness.ts';
import { type Loader, startLoader } from './targets/start-loader.ts';
import { hasCompiler } from './targets/start-shares.ts';

const PAGE = 4096;
const PNG = '\x89PNG\r\n\x1a\n';

/** Loading the programs into the kernel takes a second, and longer on a busy machine. */
const READY_MS = 90_000;

const FILES: Readonly<Record<string, number>> = {
  'art/rock.png': 100_000,
  'art/tree.ktx2': 65_538,
  'level.pak': 5_242_885,
  'music.ogg': 300_001,
  'sent.bin': 2_000_003,
  'terrain.bin': 257 * PAGE + 4,
  'shared.dat': 400_004,
  'gone.tmp': 12_345,
  'before.cfg': 7_777,
  'held.db': 54_321,
  signed: 20_000,
};
const SMALL_FILES = 200;

test('files: the reads and mappings of a program are exact to the byte', async (t) => {
  if (!hasCompiler()) return t.skip('a C compiler is not installed');
  if (skippedWithoutBpf(t)) return;
  using folder = temporaryFolder();
  writeFiles(folder.path);
  await using loader = await startLoader(folder.path);
  await loader.obey('hold held.db');
  const records = await recordFiles(t, loader, async () => {
    await loader.obey('read art/rock.png 4096');
    await loader.obey('pread art/tree.ktx2 1000');
    await loader.obey('read level.pak 65536');
    await loader.obey('readv music.ogg 3000');
    await loader.obey('sendfile sent.bin');
    await loader.obey('map terrain.bin');
    await loader.obey('threads shared.dat 4');
    await loader.obey('delete gone.tmp');
    await loader.obey('rename before.cfg after.cfg');
    await loader.obey('held x 512');
    await loader.obey(`read ${join(folder.path, 'signed')} 20000`);
    await loader.obey('others');
    for (let i = 0; i < SMALL_FILES; i++) await loader.obey(`read small/${i}.json 4096`);
    await loader.obey('read art/rock.png 4096');
  });
  if (records === null) return;

  await t.test('bytes of read, pread, readv and sendfile are exact', () => {
    const read = ['art/tree.ktx2', 'level.pak', 'music.ogg', 'sent.bin'];
    assert.deepEqual(
      read.map((name) => [name, bytesOf(records, name)]),
      read.map((name) => [name, FILES[name]]),
    );
  });

  await t.test('a file that is read again counts again, and is one asset', () => {
    assert.equal(bytesOf(records, 'art/rock.png'), 200_000);
    const ids = records.filter(({ name }) => name === 'art/rock.png').map(({ id }) => id);
    assert.equal(new Set(ids).size, 1);
    assert.equal(sum(of(records, 'art/rock.png', 'load'), 'count'), 2);
  });

  await t.test('calls are counted, including the one that finds the end', () => {
    assert.equal(sum(of(records, 'art/tree.ktx2', 'read'), 'count'), 67);
    assert.equal(sum(of(records, 'level.pak', 'read'), 'count'), 82);
  });

  const skip = noFaultsTold();
  await t.test('pages of a mapping are reported even if its descriptor is closed', { skip }, () => {
    const mapped = of(records, 'terrain.bin', 'read');
    assert.ok(mapped.every((record) => record.mapped === true && record.duration_ms === undefined));
    const bytes = sum(mapped, 'read_bytes');
    assert.ok(bytes >= 257 * PAGE + 4 && bytes <= 258 * PAGE, `${bytes} bytes`);
    assert.equal(mapped.at(-1)?.bytes, 257 * PAGE + 4);
  });

  await t.test(
    'the reads of four threads from one descriptor add up, and do not block the main thread',
    () => {
      assert.equal(bytesOf(records, 'shared.dat'), 4 * 400_004);
      const reads = of(records, 'shared.dat', 'read');
      assert.ok(reads.every((record) => record.main_thread_ms === undefined));
    },
  );

  await t.test('reads of the main thread block the main thread', () => {
    const [read] = of(records, 'level.pak', 'read');
    assert.ok(read !== undefined && (read.duration_ms ?? 0) > 0);
    assert.equal(read.main_thread_ms, read.duration_ms);
  });

  await t.test('a deleted file, a renamed one and one opened before have names', () => {
    assert.equal(bytesOf(records, 'gone.tmp'), 12_345);
    const renamed = records.filter(({ name }) => /^(before|after)\.cfg$/.test(name));
    assert.equal(sum(renamed, 'read_bytes'), 7_777);
    assert.equal(bytesOf(records, 'held.db'), 54_321);
  });

  await t.test('many small files, each open for a moment, are all reported', () => {
    const small = records.filter(
      ({ name, phase }) => name.startsWith('small/') && phase === 'read',
    );
    assert.equal(new Set(small.map(({ name }) => name)).size, SMALL_FILES);
    assert.equal(sum(small, 'read_bytes'), sizesOfSmall());
  });

  await t.test('kinds come from names, and from the first bytes if a name is ambiguous', () => {
    const kindOf = (name: string) => records.find((record) => record.name === name)?.kind;
    assert.equal(kindOf('art/rock.png'), 'texture');
    assert.equal(kindOf('music.ogg'), 'audio');
    assert.equal(kindOf('level.pak'), 'data');
    const signed = records.find(({ name }) => name === 'signed');
    assert.deepEqual([signed?.kind, signed?.format], ['texture', 'PNG']);
  });

  await t.test('pipes and pseudo files of the kernel are left out', () => {
    assert.deepEqual(
      records.filter(({ name }) => /pipe|status/.test(name)),
      [],
    );
  });

  await t.test('no name is an absolute path', () => {
    assert.deepEqual(
      records.filter(({ name }) => name.startsWith('/') || name.includes(folder.path)),
      [],
    );
  });

  await t.test('sizes are the sizes on disk', () => {
    const [read] = of(records, 'level.pak', 'read');
    assert.equal(read?.encoded_bytes, 5_242_885);
    assert.equal(of(records, 'level.pak', 'read').at(-1)?.bytes, 5_242_885);
  });
});

/** Why page faults are not reported here, or false. Their tracepoint was added in Linux 6.12. */
function noFaultsTold(): string | false {
  const types = readFileSync('/sys/kernel/btf/vmlinux');
  return types.includes('btf_trace_mm_filemap_map_pages')
    ? false
    : 'kernel: it does not report pages that are mapped';
}

function writeFiles(folder: string): void {
  for (const name of ['art', 'small']) mkdirSync(join(folder, name));
  for (const [name, bytes] of Object.entries(FILES)) {
    const content = Buffer.alloc(bytes, 'x');
    if (name === 'signed') content.write(PNG, 'latin1');
    writePages(join(folder, name), content);
  }
  for (let i = 0; i < SMALL_FILES; i++) {
    writeFileSync(join(folder, 'small', `${i}.json`), Buffer.alloc(100 + i, ' '));
  }
}

/**
 * Reads page by page, so that the page cache holds single pages. A large folio may be mapped at
 * once, and the kernel does not report that.
 */
function writePages(path: string, content: Buffer): void {
  const file = openSync(path, 'wx');
  for (let at = 0; at < content.length; at += PAGE)
    writeSync(file, content, at, Math.min(PAGE, content.length - at));
  closeSync(file);
}

function sizesOfSmall(): number {
  return Array.from({ length: SMALL_FILES }, (_, i) => 100 + i).reduce((a, b) => a + b, 0);
}

/**
 * The records of the probe while `work` is done. Null, with the test skipped, if this machine can't
 * watch files.
 */
async function recordFiles(
  t: TestContext,
  loader: Loader,
  work: () => Promise<void>,
): Promise<AssetRecord[] | null> {
  await using agent = await startTestAgent({ pid: loader.pid, probes: ['files'] });
  const { available, reason } = (await statusOf(agent)).capabilities.files;
  if (!available) {
    t.skip(`kernel: ${reason}`);
    return null;
  }
  assert.equal((await ask(agent, 'POST', '/api/start')).status, 200);
  await until(
    async () => (await statusOf(agent)).probes.find(({ id }) => id === 'files'),
    (probe) => {
      assert.notEqual(probe?.state, 'failed', probe?.reason);
      return probe?.state === 'running';
    },
    'files are watched',
    READY_MS,
  );
  await work();
  // Each tick reports everything that was read until then.
  const bytes = await until(
    async () => sum((await recordsOf(agent)).filter(isRead), 'read_bytes'),
    (reported) => reported >= readInAll(),
    `${readInAll()} bytes are reported`,
    READY_MS,
  );
  assert.equal(bytes, readInAll(), 'no more bytes are reported than were read');
  return await recordsOf(agent);
}

/** Asset records of the trace so far. Asserts that none was lost. */
async function recordsOf(agent: TestAgent): Promise<AssetRecord[]> {
  const { text } = await ask(agent, 'GET', '/api/trace');
  const lines = text.trim().split('\n').slice(1);
  const records: { type: string }[] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    records.filter((record) => record.type === 'loss' && 'probe' in record),
    [],
  );
  return records.filter(({ type }) => type === 'asset') as unknown as AssetRecord[];
}

/**
 * Reads by calls of the test's own files. The files that the program loads for itself don't matter
 * here.
 */
function isRead({ name, phase, mapped }: AssetRecord): boolean {
  const own = name in FILES || name === 'after.cfg' || name.startsWith('small/');
  return own && phase === 'read' && mapped !== true;
}

/** Bytes that the commands read by calls: two files more than once, one not at all. */
function readInAll(): number {
  const once = Object.values(FILES).reduce((a, b) => a + b, 0);
  const { 'art/rock.png': rock = 0, 'shared.dat': shared = 0, 'terrain.bin': mapped = 0 } = FILES;
  return once + rock + 3 * shared - mapped + sizesOfSmall();
}

async function statusOf(agent: TestAgent): Promise<Status> {
  return (await ask(agent, 'GET', '/api/status')).json as Status;
}

function of(
  records: readonly AssetRecord[],
  name: string,
  phase: AssetRecord['phase'],
): AssetRecord[] {
  return records.filter((record) => record.name === name && record.phase === phase);
}

function sum(records: readonly AssetRecord[], key: 'count' | 'read_bytes'): number {
  return records.reduce((total, record) => total + (record[key] ?? 0), 0);
}

function bytesOf(records: readonly AssetRecord[], name: string): number {
  return sum(of(records, name, 'read'), 'read_bytes');
}
