// A packed folder is deterministic, contains the expected files only, and is accepted by the server.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFile,
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  BUILD_LIMITS,
  BuildError,
  bufferSource,
  checkBuild,
  extractEntries,
  type PackOptions,
  packFolder,
  packToFile,
  planPack,
  readArchive,
} from '../src/index.ts';
import { hashTree, missing, run, scratchFolder, sha256, writeTree } from './scratch.ts';
import { buildZip } from './zip-builder.ts';

const TREE: Readonly<Record<string, string | Buffer>> = {
  'index.html': '<title>x</title>',
  'main.js': 'console.log(1);\n'.repeat(1000),
  'empty.txt': '',
  'assets/ü/日本.txt': 'names',
  'assets/big.bin': Buffer.alloc(6 << 20, 'deflated while streaming '),
  'assets/big.png': Buffer.alloc(6 << 20, 'stored while streaming '),
};

async function pack(folder: string, options: PackOptions = {}): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of packFolder(folder, options)) parts.push(part);
  return Buffer.concat(parts);
}

async function findingsOf(folder: string, options: PackOptions = {}) {
  try {
    await planPack(folder, options);
    return [];
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return error.findings.map(({ code, entry, rule }) => [code, entry, rule]);
  }
}

test('packFolder writes the same bytes for the same files, with other times, modes and order on disk', async () => {
  await using one = await scratchFolder();
  await using two = await scratchFolder();
  await writeTree(one.path, TREE);
  await writeTree(two.path, Object.fromEntries(Object.entries(TREE).reverse()));
  await utimes(join(two.path, 'main.js'), 1, 1);
  await chmod(join(two.path, 'main.js'), 0o755);
  const first = await pack(one.path);
  assert.ok(first.equals(await pack(one.path)));
  assert.ok(first.equals(await pack(two.path)));
});

test('packFolder writes an archive that checkBuild accepts with the same digest, also below one top folder', async () => {
  for (const prefix of ['', 'game/']) {
    await using folder = await scratchFolder();
    await writeTree(join(folder.path, 'in', prefix), TREE);
    const zip = join(folder.path, 'out.zip');
    const packed = await packToFile(join(folder.path, 'in'), zip);
    const fromZip = await checkBuild(zip);
    const fromFolder = await checkBuild(join(folder.path, 'in'));
    assert.ok(fromZip.accepted && fromFolder.accepted);
    assert.deepEqual(fromFolder, fromZip);
    assert.equal(packed.digest, fromZip.build.digest);
    assert.equal(packed.zip_bytes, fromZip.build.zip_bytes);
    assert.deepEqual(
      packed.files,
      fromZip.build.files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes })),
    );
    assert.equal(fromZip.build.root, prefix.slice(0, -1));
  }
});

test('packFolder writes one fixed form: sorted files without folders, one time and mode, the smaller of two methods', async () => {
  await using folder = await scratchFolder();
  const noise = createHash('sha512').update('noise').digest();
  const text = 'text '.repeat(200);
  const files = {
    'z.txt': text,
    'index.html': 'x',
    'a/b/noise.bin': noise,
    'é.txt': text,
    empty: '',
  };
  await writeTree(folder.path, files);
  await chmod(join(folder.path, 'z.txt'), 0o755);
  const attributes = (0o100644 << 16) >>> 0;
  const expected = buildZip([
    { name: 'a/b/noise.bin', data: noise, attributes },
    { name: 'empty', attributes },
    { name: 'index.html', data: 'x', attributes },
    { name: 'z.txt', data: text, deflate: true, attributes },
    { name: 'é.txt', data: text, deflate: true, attributes },
  ]);
  assert.equal((await pack(folder.path)).toString('hex'), expected.toString('hex'));
});

test('packFolder stores a large file that is already compressed, and deflates another as a stream', async () => {
  await using folder = await scratchFolder();
  const large = Buffer.alloc((4 << 20) + 1, 'dull ');
  const names = ['a.bin', 'b.PNG', 'c.wasm.br', 'd.unityweb', 'e.js'];
  await writeTree(folder.path, {
    'index.html': 'x',
    'small.png': Buffer.alloc(100),
    ...Object.fromEntries(names.map((name) => [name, large])),
  });
  const zip = await pack(folder.path);
  await using archive = await readArchive(bufferSource(zip));
  const descriptors = archive.entries.map(({ name, method, data_offset }) => {
    // Bit 3 of the flags in the local header, which is before the name and the data.
    const flags = zip.readUInt16LE(data_offset - name.length - 24);
    return [name, method, (flags & 8) !== 0];
  });
  assert.deepEqual(descriptors, [
    ['a.bin', 'deflated', true],
    ['b.PNG', 'stored', false],
    ['c.wasm.br', 'stored', false],
    ['d.unityweb', 'stored', false],
    ['e.js', 'deflated', true],
    ['index.html', 'stored', false],
    ['small.png', 'deflated', false],
  ]);
  const { files } = await extractEntries(archive, null);
  const wanted = sha256(large);
  for (const { path, bytes, sha256: hash } of files) {
    if (bytes === large.length) assert.equal(hash, wanted, path);
  }
});

test('packFolder writes a ZIP of exactly the allowed size, and not one byte more', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, { 'index.html': 'x', 'a.txt': 'text '.repeat(100) });
  const { length } = await pack(folder.path);
  assert.equal((await pack(folder.path, { limits: { zip_bytes: length } })).length, length);
  await assert.rejects(pack(folder.path, { limits: { zip_bytes: length - 1 } }), (error) => {
    assert.ok(error instanceof BuildError);
    const [{ entry, rule, message } = assert.fail()] = error.findings;
    assert.deepEqual(
      [error.code, entry, rule, message],
      [
        'payload_too_large',
        null,
        'zip_bytes',
        `The ZIP exceeds ${length - 1} bytes, the maximum size.`,
      ],
    );
    return true;
  });
});

test('planPack returns the root folder and the size of all files', async () => {
  for (const prefix of ['', 'game/']) {
    await using folder = await scratchFolder();
    await writeTree(join(folder.path, prefix), { 'index.html': 'four', 'a/b.txt': 'seven..' });
    const link = `${folder.path}-link`;
    await symlink(folder.path, link);
    const plan = await planPack(link, { limits: { files: 2 } }).finally(() => rm(link));
    assert.deepEqual(
      [plan.root, plan.total_bytes, plan.folder, plan.limits],
      [prefix, 11, await realpath(folder.path), { ...BUILD_LIMITS, files: 2 }],
    );
  }
});

test('planPack looks for secrets in all of a text of up to 64 KiB, and in no larger one', async () => {
  await using folder = await scratchFolder();
  const key = '-----BEGIN PRIVATE KEY-----';
  const ending = (bytes: number): string => 'x'.repeat(bytes - key.length) + key;
  await writeTree(folder.path, {
    'index.html': 'x',
    'most.txt': ending(65_536),
    'more.txt': ending(65_537),
    'front.txt': key + 'x'.repeat(65_537 - key.length),
  });
  assert.deepEqual(await findingsOf(folder.path), [['secret_refused', 'most.txt', 'secret_text']]);
});

test('planPack fails if .svcignore cannot be read', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, { 'index.html': 'x', '.svcignore/a': 'x' });
  await assert.rejects(planPack(folder.path), { code: 'EISDIR' });
});

test('planPack accepts twenty entries for each allowed file, including ignored ones, and no more', async () => {
  await using folder = await scratchFolder();
  const ignored = Array.from({ length: 19 }, (_, i) => [`${i}.psd`, 'x']);
  await writeTree(folder.path, { 'index.html': 'x', ...Object.fromEntries(ignored) });
  const options = { limits: { files: 1 }, ignore: ['*.psd'] };
  assert.equal((await planPack(folder.path, options)).files.length, 1);
  await writeTree(folder.path, { 'more.psd': 'x' });
  await assert.rejects(planPack(folder.path, options), (error) => {
    assert.ok(error instanceof BuildError);
    assert.equal(
      error.message,
      'The folder has more than 20 files and folders, including those behind links.',
    );
    return true;
  });
});

test('packFolder writes an archive that other tools extract as the same tree', {
  skip: missing('unzip', '7z', 'bsdtar', 'python3'),
}, async () => {
  await using folder = await scratchFolder();
  await writeTree(join(folder.path, 'in'), TREE);
  const zip = join(folder.path, 'out.zip');
  await packToFile(join(folder.path, 'in'), zip);
  const wanted = await hashTree(join(folder.path, 'in'));
  for (const [name, command] of Object.entries({
    unzip: ['unzip', '-q', zip],
    '7z': ['7z', 'x', '-bd', zip],
    bsdtar: ['bsdtar', '-xf', zip],
    python: ['python3', '-m', 'zipfile', '-e', zip, '.'],
  })) {
    const out = join(folder.path, name);
    await mkdir(out);
    const [program = '', ...args] = command;
    const done = run(program, args, { cwd: out });
    assert.equal(done.status, 0, `${name}: ${done.stderr}`);
    assert.deepEqual(await hashTree(out), wanted, name);
  }
  const piped = run('bsdtar', ['-xOf', '-'], { input: await readFile(zip) });
  assert.equal(piped.status, 0, piped.stderr);
});

test('planPack respects .svcignore and given patterns, and leaves out junk and its own files', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, {
    ...TREE,
    '.svcignore': '# comment\n*.psd\n/sources/\n!keep.psd\n.env\n',
    'svc.json': '{}',
    'sub/svc.json': '{}',
    'a.psd': 'x',
    'keep.psd': 'x',
    'sources/deep/a.ts': 'x',
    'sub/sources/b.ts': 'x',
    'sub/skip.log': 'x',
    '.env': 'SECRET=1',
    '.DS_Store': 'x',
    'sub/Thumbs.db': 'x',
    '__MACOSX/x': 'x',
  });
  const plan = await planPack(folder.path, { ignore: ['*.log'] });
  assert.deepEqual(
    plan.files.map((file) => file.path),
    [
      'assets/big.bin',
      'assets/big.png',
      'assets/ü/日本.txt',
      'empty.txt',
      'index.html',
      'keep.psd',
      'main.js',
      'sub/sources/b.ts',
      'sub/svc.json',
    ],
  );
  assert.deepEqual(plan.ignored, ['.env', 'a.psd', 'sources/', 'sub/skip.log']);
});

test('planPack rejects secrets unless they are allowed or ignored', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, {
    'index.html': 'x',
    '.env': 'A=1',
    '.env.production': 'A=1',
    '.env.example': 'A=',
    '.git/config': '[core]',
    '.npmrc': '//registry/:_authToken=x',
    'keys/server.pem': 'x',
    'keys/id_ed25519': 'x',
    'data/config.txt': '-----BEGIN OPENSSH PRIVATE KEY-----',
    'keyboard.js': 'x',
  });
  const refused = await findingsOf(folder.path);
  assert.deepEqual(refused.map(([code, entry]) => [code, entry]).sort(), [
    ['secret_refused', '.env'],
    ['secret_refused', '.env.production'],
    ['secret_refused', '.git/'],
    ['secret_refused', '.npmrc'],
    ['secret_refused', 'data/config.txt'],
    ['secret_refused', 'keys/id_ed25519'],
    ['secret_refused', 'keys/server.pem'],
  ]);
  assert.deepEqual(await findingsOf(folder.path, { allowSecrets: true }), []);
  const ignore = ['.env*', '.git', '.npmrc', 'keys', 'data'];
  assert.deepEqual(await findingsOf(folder.path, { ignore }), []);
});

test('planPack follows links inside the folder, and rejects links out of it', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, {
    'in/index.html': 'x',
    'in/real/a.txt': 'a',
    'out/secret.txt': 's',
    'in-side/b.txt': 'b',
  });
  const inside = join(folder.path, 'in');
  await symlink('real/a.txt', join(inside, 'file-link.txt'));
  await symlink('real', join(inside, 'folder-link'));
  const plan = await planPack(inside);
  assert.deepEqual(
    plan.files.map(({ path }) => path),
    ['file-link.txt', 'folder-link/a.txt', 'index.html', 'real/a.txt'],
  );
  await symlink('../out/secret.txt', join(inside, 'escape.txt'));
  await symlink(join(folder.path, 'out'), join(inside, 'escape'));
  await symlink('../in-side', join(inside, 'sibling'));
  await symlink('nowhere', join(inside, 'broken'));
  await symlink('..', join(inside, 'real/up'));
  await symlink('../index.html', join(inside, 'real/fine'));
  assert.deepEqual((await findingsOf(inside)).sort(), [
    ['link_outside', 'broken', 'link_broken'],
    ['link_outside', 'escape', 'link_outside'],
    ['link_outside', 'escape.txt', 'link_outside'],
    ['link_outside', 'folder-link/up', 'link_cycle'],
    ['link_outside', 'real/up', 'link_cycle'],
    ['link_outside', 'sibling', 'link_outside'],
  ]);
  const ignore = ['escape*', 'sibling', 'broken', 'up'];
  assert.deepEqual(await findingsOf(inside, { ignore }), []);
});

test('planPack ignores a link out of the folder if a pattern for folders or for files matches it', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, { 'in/index.html': 'x', 'out/a/b.txt': 'b' });
  const inside = join(folder.path, 'in');
  await symlink('../out/a', join(inside, 'folder'));
  await symlink('../out/a/b.txt', join(inside, 'file'));
  const reported = (path: string): string[] => ['link_outside', path, 'link_outside'];
  assert.deepEqual(await findingsOf(inside, { ignore: ['folder/', 'file/'] }), [reported('file')]);
  assert.deepEqual(await findingsOf(inside, { ignore: ['file'] }), [reported('folder')]);
  const { ignored } = await planPack(inside, { ignore: ['folder', 'file'] });
  assert.deepEqual(ignored, ['file', 'folder/']);
});

test('planPack reports a path that is too long or too deep for the server', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, { 'index.html': 'x', 'a/b/c': 'x', [`${'d'.repeat(13)}`]: 'x' });
  const limits = { path_bytes: 12, path_levels: 2 };
  assert.deepEqual(await findingsOf(folder.path, { limits }), [
    ['zip_path_invalid', 'a/b/c', 'path_levels'],
    ['zip_path_invalid', 'd'.repeat(13), 'path_bytes'],
  ]);
  assert.deepEqual(await findingsOf(folder.path, { limits: { path_bytes: 13 } }), []);
});

test('planPack stops at links that multiply', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, { 'index.html': 'x' });
  for (let i = 0; i < 24; i++) await mkdir(join(folder.path, `d${i}`));
  for (let i = 0; i < 23; i++) {
    for (const name of ['one', 'two']) {
      await symlink(`../d${i + 1}`, join(folder.path, `d${i}`, name));
    }
  }
  const limits = { files: 100 };
  assert.deepEqual(await findingsOf(folder.path, { limits }), [
    ['zip_too_many_entries', null, 'folder_entries'],
  ]);
});

test('planPack finds a secret behind a link with a harmless name', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, { 'index.html': 'x', '.env': 'A=1' });
  await symlink('.env', join(folder.path, 'settings.txt'));
  assert.deepEqual(await findingsOf(folder.path, { ignore: ['/.env'] }), [
    ['secret_refused', 'settings.txt', 'secret_name'],
  ]);
});

test('planPack does not wait for a pipe or open a device', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, { 'index.html': 'x' });
  assert.equal(run('mkfifo', [join(folder.path, 'pipe')]).status, 0);
  assert.deepEqual(await findingsOf(folder.path), [['zip_entry_type', 'pipe', 'kind']]);
});

test('planPack reports every name, size and count that the server would reject, before anything is written', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, {
    'index.html': 'x',
    'con.txt': 'x',
    'a:b': 'x',
    'A.txt': 'x',
    'a.txt': 'x',
    'back\\slash': 'x',
    'end.': 'x',
    'big.bin': Buffer.alloc(2000),
  });
  await writeFile(Buffer.concat([Buffer.from(`${folder.path}/`), Buffer.from([0x66, 0xff])]), 'x');
  const limits = { file_bytes: 1999, expanded_bytes: 2000, files: 5 };
  const zip = join(folder.path, '..', 'never.zip');
  await assert.rejects(packToFile(folder.path, zip, { limits }), { name: 'BuildError' });
  await assert.rejects(readFile(zip), { code: 'ENOENT' });
  assert.deepEqual(
    (await findingsOf(folder.path, { limits })).map(([code, entry]) => [code, entry]),
    [
      ['zip_path_invalid', 'f\ufffd'],
      ['zip_path_invalid', 'a:b'],
      ['zip_path_invalid', 'back\\slash'],
      ['zip_path_invalid', 'con.txt'],
      ['zip_path_invalid', 'end.'],
      ['zip_path_collision', 'a.txt'],
      ['zip_too_many_entries', null],
      ['zip_file_too_large', 'big.bin'],
      ['zip_expansion_limit', null],
    ],
  );
});

test('planPack requires a folder with index.html', async () => {
  await using folder = await scratchFolder();
  assert.deepEqual(await findingsOf(folder.path), [['zip_missing_index', null, 'index_missing']]);
  await writeTree(folder.path, { 'Index.html': 'x' });
  const verdict = await checkBuild(folder.path);
  assert.ok(!verdict.accepted);
  assert.match(verdict.findings[0]?.hint ?? '', /Rename "Index.html" to "index.html"/);
  await assert.rejects(planPack(join(folder.path, 'none')), { code: 'ENOENT' });
  await assert.rejects(planPack(join(folder.path, 'Index.html')), { code: 'folder_unreadable' });
});

test('packFolder rejects a file that was changed, removed or replaced with a link after it was planned', async () => {
  const changes: Record<string, (path: string) => Promise<void>> = {
    grows: (path) => appendFile(path, 'x'),
    'is rewritten': async (path) => {
      const data = await readFile(path);
      await writeFile(path, Buffer.alloc(data.length, 'y'));
    },
    'is replaced': async (path) => {
      await writeFile(`${path}.new`, await readFile(path));
      await rename(`${path}.new`, path);
    },
    goes: (path) => rm(path),
    'becomes a link': async (path) => {
      await link(path, `${path}.kept`);
      await rm(path);
      await symlink(`${path}.kept`, path);
    },
    'becomes a pipe': async (path) => {
      await rm(path);
      run('mkfifo', [path]);
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    for (const victim of ['main.js', 'assets/big.bin', 'assets/big.png']) {
      await using folder = await scratchFolder();
      await writeTree(join(folder.path, 'in'), TREE);
      const plan = await planPack(join(folder.path, 'in'));
      await change(join(folder.path, 'in', victim));
      const zip = join(folder.path, 'out.zip');
      await assert.rejects(packToFile(plan, zip), { code: 'file_changed' }, `${victim} ${what}`);
      await assert.rejects(readFile(zip), { code: 'ENOENT' });
    }
  }
});

test('packFolder rejects a file that changes while it is read', async () => {
  for (const victim of ['assets/big.bin', 'assets/big.png']) {
    await using folder = await scratchFolder();
    await writeTree(folder.path, TREE);
    let changed = false;
    const options: PackOptions = {
      onProgress: ({ bytes }) => {
        if (bytes < 300_000 || changed) return;
        changed = true;
        appendFileSoon();
      },
    };
    let appended: Promise<void> = Promise.resolve();
    const appendFileSoon = () => {
      appended = appendFile(join(folder.path, victim), 'x');
    };
    await assert.rejects(pack(folder.path, options), { code: 'file_changed' }, victim);
    await appended;
  }
});

test('packToFile leaves no file if it fails, is stopped, or the file already exists', async () => {
  await using folder = await scratchFolder();
  await writeTree(join(folder.path, 'in'), TREE);
  const zip = join(folder.path, 'out.zip');
  const controller = new AbortController();
  const stopped = packToFile(join(folder.path, 'in'), zip, {
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('enough')),
  });
  await assert.rejects(stopped, /enough/);
  const limits = { zip_bytes: 1000 };
  await assert.rejects(packToFile(join(folder.path, 'in'), zip, { limits }), {
    code: 'payload_too_large',
  });
  assert.deepEqual(await readdir(folder.path), ['in']);
  await writeFile(zip, 'mine');
  await assert.rejects(packToFile(join(folder.path, 'in'), zip), { code: 'EEXIST' });
  assert.equal(await readFile(zip, 'utf8'), 'mine');
});

test('packFolder reports its progress up to the last byte', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, TREE);
  const seen: number[] = [];
  let total = 0;
  await pack(folder.path, {
    onProgress: ({ bytes, total_bytes }) => {
      seen.push(bytes);
      total = total_bytes;
    },
  });
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  );
  assert.equal(seen.at(-1), total);
  assert.equal(
    total,
    Object.values(TREE).reduce((sum, data) => sum + Buffer.byteLength(data), 0),
  );
});
