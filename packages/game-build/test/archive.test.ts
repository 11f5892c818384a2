// The result of readArchive, the number of bytes that it reads, and when it closes its source.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import {
  BUILD_LIMITS,
  BuildError,
  type ByteSource,
  bufferSource,
  checkBuild,
  openFileSource,
  REFUSAL_STATUS,
  readArchive,
  ShortReadError,
} from '../src/index.ts';
import { JUNK } from './defects/cases.ts';
import { scratchFolder, writeTree } from './scratch.ts';
import { buildZip, type EntrySpec } from './zip-builder.ts';

const INDEX: EntrySpec = { name: 'index.html', data: '<title>x</title>' };
const DOCUMENT = join(import.meta.dirname, '../../../docs/platform-api.md');

/** A source that counts its disposals, and throws for a read before `from`. */
function watchedSource(zip: Buffer, from = 0) {
  const plain = bufferSource(zip);
  let disposed = 0;
  const source: ByteSource = {
    size: plain.size,
    read: (offset, length) => {
      assert.ok(offset >= from, `read ${length} bytes at ${offset}`);
      return plain.read(offset, length);
    },
    [Symbol.asyncDispose]: async () => {
      disposed++;
    },
  };
  return { source, disposed: () => disposed };
}

async function refusalOf(zip: Buffer): Promise<BuildError> {
  try {
    await using _ = await readArchive(bufferSource(zip));
  } catch (error) {
    if (error instanceof BuildError) return error;
    throw error;
  }
  return assert.fail('it is accepted');
}

test('readArchive returns kind, path and data offset of each entry', async () => {
  const page = '<title>x</title>'.repeat(100);
  const zip = buildZip([
    { name: 'game/' },
    { name: 'game/index.html', data: page, deflate: true },
    { name: 'game/a/' },
    { name: 'game/a/open.bin', data: 'open', descriptor: 'signed32' },
    { name: 'game/a/late.txt', data: page, deflate: true, descriptor: 'signed32' },
    { name: 'beside/' },
    { name: 'game/.DS_Store', data: 'junk' },
    { name: '__MACOSX/' },
  ]);
  await using archive = await readArchive(bufferSource(zip));
  const reported = archive.entries.map(({ name, kind, dropped, path, method, open_ended }) => {
    return [name, kind, dropped, path, method, open_ended];
  });
  assert.deepEqual(reported, [
    ['game/', 'folder', false, '', 'stored', false],
    ['game/index.html', 'file', false, 'index.html', 'deflated', false],
    ['game/a/', 'folder', false, 'a/', 'stored', false],
    ['game/a/open.bin', 'file', false, 'a/open.bin', 'stored', true],
    ['game/a/late.txt', 'file', false, 'a/late.txt', 'deflated', false],
    ['beside/', 'folder', false, '', 'stored', false],
    ['game/.DS_Store', 'file', true, '', 'stored', false],
    ['__MACOSX/', 'folder', true, '', 'stored', false],
  ]);
  assert.deepEqual([archive.root, archive.zip_bytes], ['game', zip.length]);
  assert.deepEqual(archive.limits, BUILD_LIMITS);
  const [, index, , open] = archive.entries;
  assert.deepEqual([index?.bytes, index?.crc32], [page.length, crc32(page)]);
  const at = open?.data_offset ?? 0;
  assert.equal(zip.toString('latin1', at, at + (open?.compressed_bytes ?? 0)), 'open');
});

test('readArchive applies the documented limits by default', async () => {
  const document = readFileSync(DOCUMENT, 'utf8');
  const documented = Object.keys(BUILD_LIMITS).map((name) => {
    const figure = new RegExp(`^\\| \`build_${name}\` \\| ([0-9,]+) \\|$`, 'm').exec(document)?.[1];
    return [name, Number(figure?.replaceAll(',', ''))];
  });
  assert.deepEqual(BUILD_LIMITS, Object.fromEntries(documented));
  const one = { limits: { files: 7 } };
  await using archive = await readArchive(bufferSource(buildZip([INDEX])), one.limits);
  assert.deepEqual(archive.limits, { ...BUILD_LIMITS, ...one.limits });
});

test('every refusal has the documented HTTP status of its code', () => {
  const document = readFileSync(DOCUMENT, 'utf8');
  const documented = Object.keys(REFUSAL_STATUS).map((code) => {
    return [code, Number(new RegExp(`^\\| \`${code}\` \\| (\\d+) \\|`, 'm').exec(document)?.[1])];
  });
  assert.deepEqual(REFUSAL_STATUS, Object.fromEntries(documented));
});

test('readArchive does not count the slash of a folder in the length of a path', async () => {
  const deepest = `${'a/'.repeat(31)}b/`;
  const longest = `${'c'.repeat(240)}/`;
  const zip = buildZip([INDEX, { name: deepest }, { name: longest }]);
  await using archive = await readArchive(bufferSource(zip));
  assert.deepEqual(
    archive.entries.map(({ path }) => path),
    ['index.html', deepest, longest],
  );
});

test('readArchive keeps files with names that only resemble those of an operating system', async () => {
  const kept = [
    ...['x__MACOSX/a', '__MACOSX', '__macosx/a', '.DS_Store.txt', 'a.DS_Store', '.DS_Store/a'],
    ...['thumbs.db.bak', 'mythumbs.db', 'thumbs_db', 'desktop.ini.txt', 'mydesktop.ini'],
  ];
  const dropped = ['a/__MACOSX/b', '.ds_store', 'b/.DS_STORE', 'THUMBS.DB', 'b/Desktop.ini'];
  const names = kept.map((name, i) => `${i}/${name}`);
  const zip = buildZip([INDEX, ...[...names, ...dropped].map((name) => ({ name }))]);
  await using archive = await readArchive(bufferSource(zip));
  assert.deepEqual(
    archive.entries.filter((entry) => entry.dropped).map((entry) => entry.name),
    dropped,
  );
});

test('readArchive suggests a page if index.html is missing', async () => {
  const atTop = 'There is no index.html at the top level.';
  const put = 'Put the start page of the game at the top level, as index.html.';
  const rows: [names: string[], message: string, hint: string][] = [
    [[], atTop, put],
    [['a.txt', 'b/c.html'], atTop, put],
    [['myindex.html', 'index.htmlx', 'index.html.txt'], atTop, put],
    [['Index.html'], atTop, 'Rename "Index.html" to "index.html": names are case-sensitive.'],
    [['index.htm', 'a'], atTop, 'Rename "index.htm" to "index.html": names are case-sensitive.'],
    [
      ['a', 'b/INDEX.HTM'],
      atTop,
      'Rename "b/INDEX.HTM" to "b/index.html": names are case-sensitive.',
    ],
    [['a', 'b/index.html'], atTop, 'There is one in "b/". Publish that folder.'],
    // The one with the fewest folders, in any order of the archive.
    [
      ['a', 'b/c/d/index.html', 'e/f/index.html'],
      atTop,
      'There is one in "e/f/". Publish that folder.',
    ],
    [
      ['a/b/index.html', 'a/c.js'],
      'There is no index.html in "a/", the only top-level folder.',
      'There is one in "a/b/". Publish that folder.',
    ],
    [['a/b.js', 'ab/c.js'], atTop, put],
  ];
  for (const [names, message, hint] of rows) {
    const { code, findings } = await refusalOf(buildZip(names.map((name) => ({ name }))));
    assert.equal(code, 'zip_missing_index');
    assert.deepEqual(findings, [{ code, entry: null, rule: 'index_missing', message, hint }]);
  }
});

test('readArchive reports all findings, in an order that does not depend on the order of the entries', async () => {
  const bad: EntrySpec[] = [
    { name: 'size', data: 'x', bytes: 2 },
    { name: 'large', data: 'x'.repeat(50) },
    { name: 'F' },
    { name: 'f' },
    { name: 'e.' },
    { name: 'link', attributes: 0o120777 << 16 },
    { name: 'method', method: 12 },
    { name: 'a', local: { name: 'b' } },
    { name: 'crypt', flags: 1 },
  ];
  const limits = { files: 8, file_bytes: 49, expanded_bytes: 51 };
  const rules = [
    ...['encrypted', 'bytes_before', 'local_name', 'method', 'kind'],
    ...['path_trailing_dot_or_space', 'collision', 'files', 'file_bytes', 'expanded_bytes'],
    ...['size_impossible', 'index_missing'],
  ];
  for (const entries of [bad, bad.toReversed()]) {
    const zip = buildZip(entries, { prefix: JUNK });
    await assert.rejects(readArchive(bufferSource(zip), limits), (error) => {
      assert.ok(error instanceof BuildError);
      assert.deepEqual(
        error.findings.map((finding) => finding.rule),
        rules,
      );
      assert.equal(error.code, 'zip_encrypted');
      return true;
    });
  }
});

test('readArchive reports the first fifty findings in the order of the entries', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `${i}.`);
  const { findings } = await refusalOf(buildZip([INDEX, ...names.map((name) => ({ name }))]));
  assert.deepEqual(
    findings.map((finding) => finding.entry),
    names.slice(0, 50),
  );
});

test('readArchive rejects entries that overlap or are out of bounds before it reads any of them', async () => {
  const three = ['a', 'b', 'c'].map((name) => ({ name, data: 'x'.repeat(60_000) }));
  const bytes = 60_031;
  const offsets = (...wanted: number[]) => ({
    directory: (headers: Buffer[]) =>
      headers.map((header, i) => {
        const copy = Buffer.from(header);
        copy.writeUInt32LE(wanted[i] ?? 0, 42);
        return copy;
      }),
  });
  const plain = buildZip(three);
  const directory = plain.readUInt32LE(plain.length - 6);
  const shared = (at: number): string => `Two entries share the bytes from ${at}.`;
  const behind = (at: number): string =>
    `An entry starts at byte ${at}, after the end of the entries at byte ${directory}.`;
  const into = `An entry reaches into the central directory at byte ${directory}.`;
  const rows: [offsets: number[], rule: string, message: string][] = [
    // Overlaps an entry other than the previous one, in the directory's order and in another order.
    [[0, bytes * 2, bytes - 1], 'overlap', shared(bytes - 1)],
    [[bytes * 2, bytes - 1, 0], 'overlap', shared(bytes - 1)],
    [[0, bytes, bytes * 2 - 1], 'overlap', shared(bytes * 2 - 1)],
    [[0, bytes, bytes * 2 + 1], 'overlap', into],
    [[0, bytes, directory], 'entry_bounds', behind(directory)],
    [[0, bytes, 0x7fffffff], 'entry_bounds', behind(0x7fffffff)],
  ];
  for (const [wanted, rule, message] of rows) {
    const zip = buildZip(three, offsets(...wanted));
    // The end record is in the last 65,557 bytes. Everything except the last header is before them.
    const { source, disposed } = watchedSource(zip, zip.length - 65_557);
    await assert.rejects(readArchive(source), (error) => {
      assert.ok(error instanceof BuildError);
      assert.deepEqual(
        error.findings.map((finding) => [finding.entry, finding.rule, finding.message]),
        [[null, rule, message]],
      );
      return true;
    });
    assert.equal(disposed(), 1);
  }
});

test('readArchive closes its source when it rejects the archive, else when the archive is closed', async () => {
  const honest = watchedSource(buildZip([INDEX]));
  {
    await using archive = await readArchive(honest.source);
    assert.equal(archive.entries.length, 1);
    assert.equal(honest.disposed(), 0);
  }
  assert.equal(honest.disposed(), 1);
  for (const zip of [Buffer.alloc(0), buildZip([]), buildZip([INDEX, { name: '../a' }])]) {
    const refused = watchedSource(zip);
    await assert.rejects(readArchive(refused.source), BuildError);
    assert.equal(refused.disposed(), 1);
  }
  const broken = watchedSource(buildZip([INDEX]));
  const reason = new Error('the disk is gone');
  const source = { ...broken.source, read: () => Promise.reject(reason) };
  await assert.rejects(readArchive(source), (error) => error === reason);
  assert.equal(broken.disposed(), 1);
});

test('readArchive reports a file that became shorter after it was opened as cut off', async () => {
  const { source, disposed } = watchedSource(buildZip([INDEX]));
  const shorter = { ...source, size: source.size + 100 };
  await assert.rejects(readArchive(shorter), { code: 'zip_malformed' });
  assert.equal(disposed(), 1);
});

/** The files below a folder that this process has open. */
function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

const noProc = process.platform === 'linux' ? false : 'only Linux lists open files';

test('checkBuild leaves no file open after a verdict or an error', { skip: noProc }, async () => {
  await using folder = await scratchFolder();
  const inside = (name: string): string => join(folder.path, name);
  await writeFile(inside('good.zip'), buildZip([INDEX]));
  await writeFile(inside('bad.zip'), buildZip([INDEX, { name: '../a' }]));
  await writeFile(inside('crc.zip'), buildZip([INDEX, { name: 'a', data: 'x', crc: 1 }]));
  await mkdir(inside('folder'));
  for (const [name, accepted] of [
    ['good.zip', true],
    ['bad.zip', false],
    ['crc.zip', false],
  ] as const) {
    assert.equal((await checkBuild(inside(name))).accepted, accepted, name);
    assert.deepEqual(openBelow(folder.path), [], name);
  }
  await assert.rejects(openFileSource(inside('folder')), /not a regular file/);
  assert.deepEqual(openBelow(folder.path), []);
  await using source = await openFileSource(inside('good.zip'));
  assert.equal(source.size, buildZip([INDEX]).length);
  assert.deepEqual(openBelow(folder.path), [inside('good.zip')]);
});

test('checkBuild leaves no temporary file of a packed folder', async (t) => {
  await using folder = await scratchFolder();
  const temporary = join(folder.path, 'tmp');
  await mkdir(temporary);
  const before = process.env['TMPDIR'];
  t.after(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  process.env['TMPDIR'] = temporary;
  const game = join(folder.path, 'game');
  await writeTree(game, { 'index.html': 'x', 'a.txt': 'one' });
  const stopped = AbortSignal.abort(new Error('enough'));
  // Without files of the packing there, this test would prove nothing.
  let seen: string[] = [];
  const onProgress = (): void => {
    seen = readdirSync(temporary);
  };
  assert.equal((await checkBuild(game, { onProgress })).accepted, true);
  assert.equal(seen.length, 1);
  assert.deepEqual(readdirSync(temporary), []);
  await assert.rejects(checkBuild(game, { signal: stopped }), /enough/);
  assert.deepEqual(readdirSync(temporary), []);
  for (const limits of [{ zip_bytes: 10 }, { expanded_bytes: 3 }]) {
    assert.equal((await checkBuild(game, { limits })).accepted, false);
    assert.deepEqual(readdirSync(temporary), []);
  }
});

test('checkBuild applies the given limits, stops when its signal is aborted, and throws ENOENT for a missing file', async () => {
  await using folder = await scratchFolder();
  const zip = join(folder.path, 'a.zip');
  await writeFile(zip, buildZip([INDEX, { name: 'a' }]));
  const verdict = await checkBuild(zip, { limits: { files: 1 } });
  assert.ok(!verdict.accepted);
  assert.equal(verdict.code, 'zip_too_many_entries');
  assert.deepEqual(
    verdict.findings.map((finding) => finding.rule),
    ['files'],
  );
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(checkBuild(zip, { signal }), /enough/);
  await assert.rejects(checkBuild(join(folder.path, 'none')), { code: 'ENOENT' });
});

test('a source reads all requested bytes, and throws if some are missing', async () => {
  await using folder = await scratchFolder();
  const path = join(folder.path, 'bytes');
  const bytes = Buffer.from('0123456789');
  await writeFile(path, bytes);
  await using file = await openFileSource(path);
  for (const source of [file, bufferSource(bytes)]) {
    assert.equal(source.size, 10);
    assert.equal(String(await source.read(0, 10)), '0123456789');
    assert.equal(String(await source.read(7, 3)), '789');
    assert.equal((await source.read(10, 0)).length, 0);
    const into = Buffer.alloc(6, '.');
    assert.equal(String(await source.read(2, 4, into)), '2345');
    for (const [offset, length] of [
      [7, 4],
      [10, 1],
      [11, 1],
    ] as const) {
      await assert.rejects(source.read(offset, length), ShortReadError, `${offset}, ${length}`);
    }
  }
  await assert.rejects(bufferSource(bytes).read(-1, 2), ShortReadError);
  // A read from a file overwrites the given buffer.
  const into = Buffer.alloc(6, '.');
  await file.read(2, 4, into);
  assert.equal(String(into), '2345..');
});
