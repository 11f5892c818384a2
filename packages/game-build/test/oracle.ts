// A comparison with other tools: they must extract from an accepted archive exactly the files in our manifest.
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bufferSource, extractEntries, readArchive } from '../src/index.ts';
import { hashTree, run } from './scratch.ts';

const ORACLES: Readonly<Record<string, (zip: string) => readonly string[]>> = {
  unzip: (zip) => ['unzip', '-qq', '-o', zip],
  '7z': (zip) => ['7z', 'x', '-bd', '-y', zip],
  bsdtar: (zip) => ['bsdtar', '-xf', zip],
  python: (zip) => ['python3', '-c', EXTRACT, zip],
};

const EXTRACT = 'import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1]) as z: z.extractall()';

/** Extracts with each tool inside `folder`, and compares paths and hashes of all files, including dropped ones. */
export async function assertToolsAgree(zip: Buffer, folder: string, note: string): Promise<void> {
  const wanted = await ourTree(zip);
  const path = join(folder, 'archive.zip');
  await writeFile(path, zip);
  for (const [name, command] of Object.entries(ORACLES)) {
    const out = join(folder, 'out');
    await mkdir(out);
    const [program = '', ...args] = command(path);
    const ran = run(program, args, { cwd: out });
    // An archive may set modes that let only root read the extracted files.
    run('chmod', ['-R', 'u+rwX', out]);
    const tree = await hashTree(out);
    await rm(out, { recursive: true });
    const said = `${note}: ${name} (${ran.status}) ${ran.stderr.slice(0, 500)} ${zip.toString('base64')}`;
    assert.deepEqual(tree, wanted, said);
  }
}

/** Every file of the archive by its name in the archive. */
async function ourTree(zip: Buffer): Promise<Record<string, string>> {
  await using archive = await readArchive(bufferSource(zip));
  const build = await extractEntries(archive, null);
  const prefix = build.root === '' ? '' : `${build.root}/`;
  const kept = build.files.map((file): [string, string] => [prefix + file.path, file.sha256]);
  const dropped = archive.entries.filter((entry) => entry.dropped && entry.kind === 'file');
  const hashes = await Promise.all(
    dropped.map(
      async (entry): Promise<[string, string]> => [entry.name, await hashEntry(zip, entry.name)],
    ),
  );
  return Object.fromEntries([...kept, ...hashes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Dropped entries are verified but not hashed. Their hash is that of the bytes that Python reads. */
async function hashEntry(zip: Buffer, name: string): Promise<string> {
  const code =
    'import sys, io, zipfile, hashlib\nz = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\nprint(hashlib.sha256(z.read(sys.argv[1])).hexdigest())';
  const ran = run('python3', ['-c', code, name], { input: zip });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout.toString().trim();
}
