// Builds that are read from a list of files: the same verdict as that of a ZIP, and what is read again after a change.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import {
  BUILD_LIMITS,
  BuildError,
  type BuildFacts,
  type BuildLimits,
  bufferSource,
  comparePaths,
  decodeFacts,
  encodeFacts,
  extractBuild,
  FACTS_FORMAT,
  judgeListing,
  packFolder,
  planPack,
  readArchive,
  readFiles,
  readFolder,
  readSource,
} from '../src/index.ts';
import { PNG, SCRIPT, WASM } from './describe-builds.ts';
import { ENGINE_BUILDS } from './engine-builds.ts';
import { scratchFolder, sha256, writeTree } from './scratch.ts';
import { buildZip } from './zip-builder.ts';

type Files = Readonly<Record<string, string | Buffer>>;

const BYTES = { size: 0, [Symbol.asyncDispose]: async () => {} };

/** Reads a build from its list. `read` collects the names of the files whose bytes are read. */
async function readListed(
  files: Files,
  { before = null, read = [], limits = {} }: Partial<Listed> = {},
) {
  const listed = Object.entries(files).map(([path, data]) => ({
    path,
    bytes: Buffer.byteLength(data),
    sha256: sha256(data),
  }));
  return await readFiles({
    listing: judgeListing(listed, { ...BUILD_LIMITS, ...limits }),
    async read({ name, bytes, dropped }, buffers, onChunk) {
      if (dropped) return;
      read.push(name);
      const data = Buffer.from(files[name] ?? '');
      const source = { ...bufferSource(data), ...BYTES };
      await readSource(source, { offset: 0, bytes }, buffers, onChunk);
    },
    sink: null,
    before,
  });
}

/** For each format of facts, the digest of those of all builds below. */
const FOUND_BY_FORMAT: Readonly<Record<number, string>> = {
  1: 'af2780b67927585ab5e6aac224755921d606b07b4ca76b54e816c70aa225dc9b',
};

type Listed = {
  readonly before: BuildFacts | null;
  readonly read: string[];
  readonly limits: Partial<BuildLimits>;
};

/** Reads a build from a ZIP with the files in the order of their paths. */
async function readZipped(files: Files, limits: Partial<BuildLimits> = {}) {
  const specs = Object.entries(files)
    .toSorted(([a], [b]) => comparePaths(a, b))
    .map(([name, data]) => ({ name, data, deflate: true }));
  await using archive = await readArchive(bufferSource(buildZip(specs)), limits);
  const { build, facts } = await extractBuild(archive, null);
  const { zip_bytes, ...rest } = build;
  assert.ok(zip_bytes > 0);
  return { build: rest, facts };
}

/** The result, or the code and the findings of the error. */
async function verdictOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return { code: error.code, findings: error.findings };
  }
}

const INDEX = '<!doctype html><script src="main.js"></script><img src="art/hero.png">';
const GAME: Files = {
  'index.html': INDEX,
  'main.js': `${SCRIPT}fetch('levels/1.json'); import('./Extra.js');`,
  'extra.js': 'new SharedArrayBuffer(1)',
  'levels/1.json': '{"next": "https://other.example/2.json"}',
  'art/hero.png': PNG,
  'art/wrong.png': 'not a picture',
  'game.wasm': WASM,
  'data.json.gz': gzipSync('{"a": [1, 2, 3]}'),
  'code.js.br': brotliCompressSync(SCRIPT),
  'broken.js.br': 'not brotli',
  'main.js.map': '{}',
  'big.bin': Buffer.alloc(3 << 20, 'a long file of which little is kept '),
};

const BUILDS: Readonly<Record<string, Files>> = {
  ...ENGINE_BUILDS,
  'a game with warnings': GAME,
  'a game in a folder, with junk': {
    ...Object.fromEntries(Object.entries(GAME).map(([path, data]) => [`dist/${path}`, data])),
    'dist/.DS_Store': 'junk',
  },
};

for (const [name, files] of Object.entries(BUILDS)) {
  test(`${name} has the same description in a list, in a folder and in a ZIP`, async () => {
    const zipped = await readZipped(files);
    assert.deepEqual(await readListed(files), zipped);
    await using folder = await scratchFolder();
    await writeTree(folder.path, files);
    const plan = await planPack(folder.path, { allowSecrets: true });
    // What an operating system has left behind is not packed.
    const clean = Object.entries(files).filter(([path]) => !path.endsWith('.DS_Store'));
    const { build } = await readZipped(Object.fromEntries(clean));
    assert.deepEqual(await readFolder(plan), build);
    const packed = packFolder(plan);
    let next = await packed.next();
    while (next.done !== true) next = await packed.next();
    assert.equal(next.value.digest, zipped.build.digest);
  });
}

test('a list has the same findings as a ZIP of the same files', async () => {
  const small = { files: 3, file_bytes: 100, expanded_bytes: 250, path_bytes: 20, path_levels: 3 };
  const cases: [string, Files, Partial<BuildLimits>][] = [
    ['no index', { 'a.html': '' }, {}],
    ['an index in one of two folders', { 'a/index.html': '', 'b/x': '' }, {}],
    ['a name with ".."', { 'index.html': '', '../x': '', 'a/../b': '' }, {}],
    ['an absolute name', { 'index.html': '', '/etc/passwd': '' }, {}],
    ['names of Windows', { 'index.html': '', 'con.txt': '', 'a\\b': '', 'C:x': '', 'x.': '' }, {}],
    ['control characters', { 'index.html': '', 'a\u0000b': '', 'a\u202eb': '' }, {}],
    ['names that differ by case', { 'index.html': '', 'Index.html': '', 'a/B': '', 'A/b': '' }, {}],
    ['a file that is also a folder', { 'index.html': '', a: '', 'a/b': '' }, {}],
    ['too many files', { 'index.html': '', a: '', b: '', c: '' }, small],
    ['a large file', { 'index.html': '', a: 'x'.repeat(101) }, small],
    ['many bytes', { 'index.html': 'x'.repeat(90), a: 'x'.repeat(90), b: 'x'.repeat(90) }, small],
    ['long and deep names', { 'index.html': '', [`${'x'.repeat(30)}`]: '', 'a/b/c/d': '' }, small],
    ['a decoded file of too many bytes', { 'index.html': '', 'a.js.gz': gzipSync(SCRIPT) }, small],
  ];
  for (const [name, files, limits] of cases) {
    const expected = await verdictOf(readZipped(files, limits));
    assert.ok(expected instanceof Object && 'findings' in expected, name);
    assert.deepEqual(await verdictOf(readListed(files, { limits })), expected, name);
  }
});

test('a list rejects what no ZIP can hold: unpaired surrogates, folders, and too many entries', () => {
  const judge = (paths: string[], limits: Partial<BuildLimits> = {}) =>
    judgeListing(
      ['index.html', ...paths].map((path) => ({ path, bytes: 0, sha256: sha256('') })),
      { ...BUILD_LIMITS, ...limits },
    );
  assert.throws(() => judge(['\ud800']), { code: 'zip_path_invalid' });
  assert.throws(() => judge(['a/']), { code: 'zip_entry_type' });
  assert.throws(() => judge(['index.html']), BuildError);
  const many = Array.from({ length: 8 }, (_, at) => `${at}/.DS_Store`);
  assert.throws(() => judge(many, { files: 2 }), { code: 'zip_too_many_entries' });
  assert.equal(judge(many, { files: 3 }).entries.length, 9);
});

test('a file with other content than its hash is rejected, and nothing of it reaches the sink', async () => {
  const listed = [
    { path: 'index.html', bytes: 3, sha256: sha256('abc') },
    { path: 'x.bin', bytes: 3, sha256: sha256('abc') },
  ];
  const ended: string[] = [];
  const reading = readFiles({
    listing: judgeListing(listed, BUILD_LIMITS),
    read: ({ name }, _, onChunk) => onChunk(Buffer.from(name === 'x.bin' ? 'abd' : 'abc')),
    sink: ({ path }) => ({
      write() {},
      finish: () => void ended.push(`${path} finished`),
      abort: () => void ended.push(`${path} aborted`),
    }),
    before: null,
  });
  await assert.rejects(reading, (error) => {
    assert.ok(error instanceof BuildError);
    assert.deepEqual(
      error.findings.map(({ code, rule, entry }) => [code, rule, entry]),
      [['zip_crc_mismatch', 'sha256', 'x.bin']],
    );
    return true;
  });
  assert.ok(ended.includes('x.bin aborted'));
  assert.ok(!ended.includes('x.bin finished'));
});

test('facts are the same after they were written and read', async () => {
  const { facts } = await readListed({
    ...GAME,
    'index.html': `<script type="importmap">{"imports": {"three": "./lib/three.js"}}</script>${INDEX}`,
  });
  const text = encodeFacts(facts);
  assert.ok(text !== null);
  assert.deepEqual(decodeFacts(text), facts);
  assert.equal(decodeFacts(text.replace('"format":1', '"format":0')), null);
});

test('what is found in files has not changed without a new FACTS_FORMAT', async () => {
  const found: object[] = [];
  for (const files of Object.values(BUILDS)) {
    const { facts } = await readListed(files);
    // Files are read concurrently, and a busy machine finishes them in another order.
    const sorted = [...facts.files.values()].sort((a, b) => comparePaths(a.file.path, b.file.path));
    for (const { file, facts: own, searched } of sorted) {
      // The compressed files of the builds differ between versions of zlib.
      const { sha256: _, bytes: __, ...rest } = file;
      const loads = own.loads && { ...own.loads, modules: [...own.loads.modules] };
      found.push({ file: rest, facts: { ...own, loads }, searched });
    }
  }
  const digest = sha256(JSON.stringify(found));
  assert.equal(
    digest,
    FOUND_BY_FORMAT[FACTS_FORMAT],
    'servers would reuse facts that are found otherwise now: raise FACTS_FORMAT, and record the digest for it',
  );
});

test('after a change of one file, only this file is read', async () => {
  const { facts } = await readListed(GAME);
  const changed = { ...GAME, 'main.js': `${GAME['main.js']} // changed`, 'game.wasm': 'no wasm' };
  const read: string[] = [];
  const again = await readListed(changed, { before: facts, read });
  assert.deepEqual(read.toSorted(), ['game.wasm', 'main.js']);
  assert.deepEqual(again, await readListed(changed));
});

test('after a change of names, all texts are read: what they refer to may have come or gone', async () => {
  const { facts } = await readListed(GAME);
  const { 'art/hero.png': hero = '', ...rest } = GAME;
  const renamed = { ...rest, 'art/Hero.png': hero };
  const read: string[] = [];
  const again = await readListed(renamed, { before: facts, read });
  assert.deepEqual(again, await readListed(renamed));
  assert.notDeepEqual(again.build.warnings, (await readListed(GAME)).build.warnings);
  const unread = ['art/wrong.png', 'big.bin', 'broken.js.br', 'game.wasm'];
  const expected = Object.keys(renamed).filter((path) => !unread.includes(path));
  assert.deepEqual(read.toSorted(), expected.toSorted());
});

test('files that are not decoded again count towards the limit of decoded bytes', async () => {
  const packed = (byte: number) => gzipSync(Buffer.alloc(1000, byte));
  const files: Files = { 'index.html': '', 'a.json.gz': packed(1), 'b.json.gz': packed(2) };
  const { facts } = await readListed(files);
  const more = { ...files, 'c.json.gz': packed(3) };
  const limits = { expanded_bytes: 2_500 };
  await readListed(files, { before: facts, limits });
  await assert.rejects(readListed(more, { limits }), { code: 'zip_expansion_limit' });
  await assert.rejects(readListed(more, { before: facts, limits }), {
    code: 'zip_expansion_limit',
  });
});

test('a folder whose file changes while it is read is rejected', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, GAME);
  const plan = await planPack(folder.path);
  const text = await readFile(join(folder.path, 'main.js'));
  await writeTree(folder.path, { 'main.js': text });
  await assert.rejects(readFolder(plan), { code: 'file_changed' });
});
