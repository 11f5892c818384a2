// The guarantees for a sink: complete and verified files, no call after the end, and nothing of rejected archives is kept.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  BuildError,
  type BuildFile,
  type BuildSink,
  bufferSource,
  comparePaths,
  digestManifest,
  extractEntries,
  readArchive,
} from '../src/index.ts';
import { scratchFolder, sha256 } from './scratch.ts';
import { buildZip, type EntrySpec } from './zip-builder.ts';

const INDEX: EntrySpec = { name: 'index.html', data: '<title>x</title>' };
const BIG = Buffer.alloc(12 << 20, 'large and dull ');

/** Keeps the calls, and fails for a call out of order. */
function recordingSink() {
  const files = new Map<string, { bytes: Buffer; file: BuildFile }>();
  const aborted: string[] = [];
  let open = 0;
  let most = 0;
  const sink: BuildSink = ({ path }) => {
    const chunks: Buffer[] = [];
    let busy = false;
    let ended = false;
    most = Math.max(most, ++open);
    const call = async (action: () => void) => {
      assert.ok(!busy && !ended, `call out of order for ${path}`);
      busy = true;
      await new Promise((resolve) => setImmediate(resolve));
      action();
      busy = false;
    };
    const end = () => {
      ended = true;
      open--;
    };
    return {
      write: (chunk) => call(() => chunks.push(chunk)),
      finish: (file) =>
        call(() => {
          end();
          files.set(path, { bytes: Buffer.concat(chunks), file });
        }),
      abort: () =>
        call(() => {
          end();
          aborted.push(path);
        }),
    };
  };
  return { sink, files, aborted, openNow: () => open, most: () => most };
}

test('extractEntries passes every kept file to the sink, complete and with its hash', async () => {
  const contents: Record<string, Buffer> = {
    'index.html': Buffer.from('<title>x</title>'),
    'a/empty': Buffer.alloc(0),
    'a/small.bin': Buffer.alloc(1000, 1),
    'a/middle.bin': Buffer.alloc(3 << 20, 2),
    'a/big-deflated.bin': BIG,
    'a/big-stored.bin': BIG,
  };
  const zip = buildZip([
    ...Object.entries(contents).map(([name, data]) => ({
      name: `g/${name}`,
      data,
      deflate: !name.includes('stored'),
    })),
    { name: 'g/.DS_Store', data: 'junk' },
    { name: 'g/folder/' },
  ]);
  const recorder = recordingSink();
  const progress: number[] = [];
  const counts: number[] = [];
  await using archive = await readArchive(bufferSource(zip));
  const build = await extractEntries(archive, recorder.sink, {
    concurrency: 3,
    onProgress: ({ bytes, files }) => {
      progress.push(bytes);
      counts.push(files);
    },
  });
  assert.deepEqual([...recorder.files.keys()].sort(), Object.keys(contents).sort());
  for (const [path, { bytes, file }] of recorder.files) {
    assert.ok(contents[path]?.equals(bytes), path);
    assert.equal(file.sha256, sha256(bytes));
    assert.equal(file.bytes, bytes.length);
  }
  assert.equal(recorder.openNow(), 0);
  assert.equal(recorder.most(), 3);
  assert.equal(build.digest, digestManifest(build.files));
  assert.deepEqual(build.dropped, ['g/.DS_Store']);
  assert.equal(
    build.expanded_bytes,
    Object.values(contents).reduce((sum, one) => sum + one.length, 0),
  );
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  );
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 6]);
  // Dropped entries are verified too, and may be after the last file.
  assert.ok([0, 4].includes(build.expanded_bytes + 4 - (progress.at(-1) ?? 0)), `${progress}`);
});

test('extractEntries processes four entries at once by default', async () => {
  const entries = Array.from({ length: 8 }, (_, i) => ({ name: `f${i}`, data: `${i}` }));
  for (const [given, most] of [
    [undefined, 4],
    [1, 1],
    [0, 1],
    [6, 6],
  ] as const) {
    const recorder = recordingSink();
    await using archive = await readArchive(bufferSource(buildZip([INDEX, ...entries])));
    const options = given === undefined ? {} : { concurrency: given };
    const { file_count } = await extractEntries(archive, recorder.sink, options);
    assert.deepEqual([file_count, recorder.files.size], [9, 9]);
    assert.equal(recorder.most(), most, `${given}`);
  }
});

test('extractEntries frees its own buffers, and does not change the bytes of the caller', async () => {
  const zip = buildZip([
    INDEX,
    { name: 'stored', data: Buffer.alloc(100_000, 1) },
    { name: 'deflated', data: Buffer.alloc(100_000, 2), deflate: true },
  ]);
  const before = sha256(zip);
  const lent = new Map<string, Buffer>();
  await using archive = await readArchive(bufferSource(zip));
  await extractEntries(archive, ({ path }) => ({
    write: (chunk) => {
      lent.set(path, chunk);
    },
    finish: ({ sha256: hash }) => assert.equal(sha256(lent.get(path) ?? Buffer.alloc(0)), hash),
    abort: () => {},
  }));
  assert.equal(lent.get('deflated')?.length, 0);
  assert.equal(lent.get('stored')?.length, 100_000);
  assert.equal(sha256(zip), before);
});

test('extractEntries aborts open writers and lists all findings if entries are damaged', async () => {
  const good = Array.from({ length: 20 }, (_, i) => ({
    name: `good/${i}`,
    data: Buffer.alloc(100_000, i),
    deflate: true,
  }));
  const bad = Array.from({ length: 3 }, (_, i) => ({
    name: `bad/${i}`,
    data: BIG,
    deflate: true,
    crc: i,
  }));
  const recorder = recordingSink();
  await using archive = await readArchive(bufferSource(buildZip([INDEX, ...good, ...bad])));
  await assert.rejects(extractEntries(archive, recorder.sink), (error: unknown) => {
    assert.ok(error instanceof Error && 'findings' in error && Array.isArray(error.findings));
    assert.deepEqual(
      error.findings.map((finding) => [finding.code, finding.entry]),
      bad.map(({ name }) => ['zip_crc_mismatch', name]),
    );
    return true;
  });
  assert.equal(recorder.openNow(), 0);
  for (const { name } of bad) assert.ok(!recorder.files.has(name));
});

test('extractEntries writes and finishes nothing after a damaged entry was found', async () => {
  for (const data of [BIG, 'small']) {
    const damaged = Promise.withResolvers<void>();
    const calls: string[] = [];
    const sink: BuildSink = ({ path }) => ({
      async write() {
        if (path === 'other') calls.push('write');
        // The damage is found during this write.
        if (path === 'other') await damaged.promise;
      },
      finish() {
        if (path === 'other') calls.push('finish');
      },
      abort() {
        if (path === 'other') calls.push('abort');
        else setImmediate(damaged.resolve);
      },
    });
    const zip = buildZip([INDEX, { name: 'other', data }, { name: 'damaged', data: 'x', crc: 1 }]);
    await using archive = await readArchive(bufferSource(zip));
    const extracting = extractEntries(archive, sink, { concurrency: 3 });
    await assert.rejects(extracting, { code: 'zip_crc_mismatch' });
    assert.deepEqual(calls, ['write', 'abort']);
  }
});

test('extractEntries lists findings in the order of the archive, not in the order of discovery', async () => {
  const bad = [
    { name: 'slow', data: BIG, deflate: true, crc: 1 },
    { name: 'quick', data: 'x', crc: 1 },
  ];
  await using archive = await readArchive(bufferSource(buildZip([INDEX, ...bad])));
  const extracting = extractEntries(archive, null, { concurrency: 3 });
  await assert.rejects(extracting, (error) => {
    assert.ok(error instanceof BuildError);
    assert.deepEqual(
      error.findings.map(({ entry }) => entry),
      ['slow', 'quick'],
    );
    return true;
  });
});

test('extractEntries lists at most 50 findings', async () => {
  const bad = Array.from({ length: 80 }, (_, i) => ({ name: `bad/${i}`, data: 'x', crc: i }));
  await using archive = await readArchive(bufferSource(buildZip([INDEX, ...bad])));
  await assert.rejects(extractEntries(archive, null), (error: unknown) => {
    assert.ok(error instanceof Error && 'findings' in error && Array.isArray(error.findings));
    return error.findings.length === 50;
  });
});

test('extractEntries passes on the sink’s own error and leaves no writer open', async () => {
  for (const failing of ['open', 'write', 'finish'] as const) {
    const recorder = recordingSink();
    const sink: BuildSink = async (file) => {
      if (failing === 'open' && file.path === 'b') throw new Error('disk full');
      const writer = await recorder.sink(file);
      if (file.path !== 'b' || failing === 'open') return writer;
      return { ...writer, [failing]: () => Promise.reject(new Error('disk full')) };
    };
    const entries = ['a', 'b', 'c', 'd'].map((name) => ({ name, data: BIG, deflate: true }));
    await using archive = await readArchive(bufferSource(buildZip([INDEX, ...entries])));
    await assert.rejects(extractEntries(archive, sink), /disk full/, failing);
    assert.equal(recorder.openNow(), 0, failing);
    assert.ok(!recorder.files.has('b'));
  }
});

test('extractEntries stops when its signal is aborted', async () => {
  const controller = new AbortController();
  const recorder = recordingSink();
  const entries = Array.from({ length: 10 }, (_, i) => ({
    name: `f${i}`,
    data: BIG,
    deflate: true,
  }));
  await using archive = await readArchive(bufferSource(buildZip([INDEX, ...entries])));
  const extraction = extractEntries(archive, recorder.sink, {
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('enough')),
  });
  await assert.rejects(extraction, /enough/);
  assert.equal(recorder.openNow(), 0);
  assert.ok(recorder.files.size < 10);
});

test('extractEntries stops within a large entry, also if it is only verified', async () => {
  for (const name of ['big', '__MACOSX/big']) {
    const reason = new Error('enough');
    const caller = new AbortController();
    const bytes = bufferSource(buildZip([INDEX, { name, data: BIG }]));
    await using archive = await readArchive(bytes);
    let reads = 0;
    const source = {
      ...bytes,
      read: (at: number, length: number) => {
        // The second piece of the large entry.
        if (length === 256 * 1024 && ++reads === 2) caller.abort(reason);
        return bytes.read(at, length);
      },
    };
    const extracting = extractEntries({ ...archive, source }, null, { signal: caller.signal });
    await assert.rejects(extracting, (error) => error === reason);
    assert.equal(reads, 2, name);
  }
});

test('extractEntries rejects an archive that is cut off after it was read', async () => {
  await using folder = await scratchFolder();
  const path = join(folder.path, 'a.zip');
  const zip = buildZip([INDEX, { name: 'a', data: BIG }]);
  await writeFile(path, zip);
  await using archive = await readArchive(path);
  await writeFile(path, (await readFile(path)).subarray(0, 5_000_000));
  await assert.rejects(extractEntries(archive, null), { code: 'zip_malformed' });
});

test('extractEntries never passes on more bytes than declared', async () => {
  let written = 0;
  const zip = buildZip([INDEX, { name: 'bomb', data: BIG, deflate: true, bytes: 5 << 20 }]);
  await using archive = await readArchive(bufferSource(zip));
  const sink: BuildSink = ({ path }) => ({
    write: (chunk) => {
      if (path === 'bomb') written += chunk.length;
    },
    finish: () => assert.equal(path, 'index.html'),
    abort: () => {},
  });
  await assert.rejects(extractEntries(archive, sink), { code: 'zip_size_mismatch' });
  assert.ok(written <= 5 << 20);
});

test('digestManifest depends on paths and hashes, not on their order', () => {
  const a = { path: 'a', sha256: '0'.repeat(64) };
  const b = { path: 'ü', sha256: '1'.repeat(64) };
  const c = { path: '\u{1f3ae}', sha256: '2'.repeat(64) };
  assert.equal(digestManifest([a, b, c]), digestManifest([c, b, a]));
  assert.notEqual(digestManifest([a, b]), digestManifest([a, { ...b, path: 'u' }]));
  const text = `a\0${a.sha256}\nü\0${b.sha256}\n\u{1f3ae}\0${c.sha256}\n`;
  assert.equal(digestManifest([c, a, b]), `sha256:${sha256(text)}`);
});

test('the digest and the list of files sort paths by their UTF-8 bytes', async () => {
  // In UTF-16 the surrogates of the second name sort before the full-width letter, in UTF-8 after it.
  const names = ['a', 'index.html', 'z', 'é', '\uff21', '\uffee', '\u{10000}', '\u{1f3ae}'];
  const sorted = names.toReversed().sort(comparePaths);
  assert.deepEqual(sorted, names);
  assert.equal(comparePaths('a', 'a'), 0);
  const zip = buildZip(names.toReversed().map((name) => ({ name, data: name })));
  await using archive = await readArchive(bufferSource(zip));
  const { files, digest } = await extractEntries(archive, null);
  assert.deepEqual(
    files.map(({ path }) => path),
    names,
  );
  const manifest = names.map((name) => `${name}\0${sha256(name)}\n`).join('');
  assert.equal(digest, `sha256:${sha256(manifest)}`);
});
