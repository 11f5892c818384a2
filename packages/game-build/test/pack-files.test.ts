// Packing a folder: the files it leaves open or out, and files that are no longer regular files.
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, realpath, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { packToFile, planPack } from '../src/index.ts';
import { scratchFolder, writeTree } from './scratch.ts';

const TREE = {
  'index.html': '<title>x</title>',
  'main.js': 'console.log(1);\n'.repeat(1000),
  'big.bin': Buffer.alloc(5 << 20, 'deflated while streaming '),
};

/** The open files below a folder. */
function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}

const noProc = process.platform === 'linux' ? false : 'only Linux lists open files';

test('packToFile leaves no file open, packed or not', { skip: noProc }, async () => {
  await using folder = await scratchFolder();
  const inside = join(folder.path, 'in');
  await writeTree(inside, TREE);
  const root = await realpath(folder.path);
  await packToFile(inside, join(folder.path, 'out.zip'));
  assert.deepEqual(openBelow(root), []);
  const plan = await planPack(inside, { limits: { zip_bytes: 1_000 } });
  await assert.rejects(packToFile(plan, join(folder.path, 'none.zip')), {
    code: 'payload_too_large',
  });
  assert.deepEqual(openBelow(root), []);
});

test('packToFile rejects a file that became a socket after it was planned', async (t) => {
  await using folder = await scratchFolder();
  const inside = join(folder.path, 'in');
  await writeTree(inside, TREE);
  const plan = await planPack(inside);
  await rm(join(inside, 'main.js'));
  const server = createServer();
  t.after(() => server.close());
  await new Promise<void>((done) => server.listen(join(inside, 'main.js'), done));
  await assert.rejects(packToFile(plan, join(folder.path, 'out.zip')), { code: 'file_changed' });
});

test('ignored paths are sorted like files, and a link is judged by its own path and its target', async () => {
  await using folder = await scratchFolder();
  await writeTree(folder.path, { ...TREE, 'a/1.txt': 'x', 'a.txt': 'x', 'keys/.env': 'A=1' });
  await mkdir(join(folder.path, 'b'));
  const { ignored } = await planPack(folder.path, { ignore: ['a', 'a.txt', 'keys'] });
  assert.deepEqual(ignored, ['a.txt', 'a/', 'keys/']);
  await symlink('../keys/.env', join(folder.path, 'b', 'settings.txt'));
  await assert.rejects(planPack(folder.path, { ignore: ['keys'] }), { code: 'secret_refused' });
});
