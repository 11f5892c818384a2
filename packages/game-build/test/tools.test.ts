// Archives of real tools with one tree are accepted as exactly that tree. Unsafe features of the tools are rejected.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { BuildError, extractEntries, readArchive } from '../src/index.ts';
import { hashTree, missing, run, scratchFolder, writeTree } from './scratch.ts';

/** Incompressible bytes, the same in each run. */
function noise(length: number): Buffer {
  const chunks = Array.from({ length: Math.ceil(length / 64) }, (_, i) =>
    createHash('sha512').update(String(i)).digest(),
  );
  return Buffer.concat(chunks).subarray(0, length);
}

const TREE: Readonly<Record<string, string | Buffer>> = {
  'game/index.html': '<!doctype html><title>x</title><script src="main.js"></script>',
  'game/main.js': 'console.log("hello");\n'.repeat(2000),
  'game/empty.txt': '',
  'game/assets/noise.png': noise(200_000),
  'game/assets/ünï/日本.txt': 'names',
  'game/assets/a b (1).json': '{}',
};

const PYTHON = `
import sys, zipfile, os
out, mode = sys.argv[1:3]
class Pipe:
    def __init__(self, f): self.f = f
    def write(self, b): return self.f.write(b)
    def flush(self): self.f.flush()
with open(out, 'wb') as f:
    target = Pipe(f) if mode == 'unseekable' else f
    with zipfile.ZipFile(target, 'w', zipfile.ZIP_STORED if mode == 'stored' else zipfile.ZIP_DEFLATED) as z:
        for base, dirs, files in os.walk('game'):
            z.write(base)
            for name in files:
                path = os.path.join(base, name)
                if mode == 'zip64':
                    with z.open(zipfile.ZipInfo.from_file(path), 'w', force_zip64=True) as e, open(path, 'rb') as s:
                        e.write(s.read())
                elif mode == 'writestr':
                    z.writestr(path, open(path, 'rb').read())
                else:
                    z.write(path)
`;

/** Shell commands that write `out.zip` from the folder `game`. */
const TOOLS: Readonly<Record<string, string>> = {
  'zip -r': 'zip -qr out.zip game',
  'zip without extra fields': 'zip -qrX out.zip game',
  'zip without folders': 'zip -qrD out.zip game',
  'zip -0': 'zip -qr0 out.zip game',
  'zip -9 with a comment': 'echo "a comment" | zip -qr9z out.zip game',
  'zip into a pipe': 'zip -qr - game | cat > out.zip',
  'zip with Zip64 forced': 'zip -qr -fz out.zip game',
  'zip with marked UTF-8': 'zip -qr -UN=UTF8 out.zip game',
  'zip updated': 'zip -qr out.zip game/index.html && zip -qr out.zip game',
  '7z': '7z a -bd out.zip game',
  '7z -mx=0': '7z a -bd -mx=0 out.zip game',
  '7z with UTF-8': '7z a -bd -mcu=on -mx=9 out.zip game',
  bsdtar: 'bsdtar -cf out.zip --format zip game',
  'bsdtar stored': 'bsdtar -cf out.zip --format zip --options zip:compression=store game',
  'python -m zipfile': 'python3 -m zipfile -c out.zip game',
  'python stored': 'python3 pack.py out.zip stored',
  'python into a pipe': 'python3 pack.py out.zip unseekable',
  'python with Zip64': 'python3 pack.py out.zip zip64',
  'python writestr': 'python3 pack.py out.zip writestr',
  'git archive':
    'git init -q . && git add game && git -c user.name=a -c user.email=a@b commit -qm x && git archive --format=zip -o out.zip HEAD game',
};

const skip = missing('zip', '7z', 'bsdtar', 'python3', 'git');

for (const [name, command] of Object.entries(TOOLS)) {
  test(`readArchive accepts archives of ${name}`, { skip }, async () => {
    await using folder = await scratchFolder();
    await writeTree(folder.path, { ...TREE, 'pack.py': PYTHON });
    const made = run('sh', ['-ec', command], { cwd: folder.path });
    assert.equal(made.status, 0, made.stderr);
    await using archive = await readArchive(join(folder.path, 'out.zip'));
    const build = await extractEntries(archive, null);
    assert.equal(build.root, 'game');
    assert.deepEqual(
      Object.fromEntries(build.files.map((file) => [file.path, file.sha256])),
      await sortedHashes(join(folder.path, 'game')),
    );
  });
}

async function sortedHashes(folder: string): Promise<Record<string, string>> {
  const hashes = Object.entries(await hashTree(folder));
  return Object.fromEntries(
    hashes.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
}

/** Archives of the same tools with features that are not allowed. */
const REFUSED: Readonly<Record<string, readonly [string, string]>> = {
  'zip --symlinks': ['zip_entry_type', 'zip -qry out.zip game'],
  'bsdtar with a link': ['zip_entry_type', 'bsdtar -cf out.zip --format zip game'],
  'zip -P': ['zip_encrypted', 'rm game/link && zip -qrP secret out.zip game'],
  '7z with ZipCrypto': ['zip_encrypted', 'rm game/link && 7z a -bd -psecret out.zip game'],
  '7z with AES': ['zip_encrypted', 'rm game/link && 7z a -bd -psecret -mem=AES256 out.zip game'],
  '7z with bzip2': ['zip_method_unsupported', 'rm game/link && 7z a -bd -mm=bzip2 out.zip game'],
  '7z with LZMA': ['zip_method_unsupported', 'rm game/link && 7z a -bd -mm=lzma out.zip game'],
  '7z with PPMd': ['zip_method_unsupported', 'rm game/link && 7z a -bd -mm=ppmd out.zip game'],
  '7z with Deflate64': [
    'zip_method_unsupported',
    'rm game/link && 7z a -bd -mm=deflate64 out.zip game',
  ],
  'zip with bzip2': ['zip_method_unsupported', 'rm game/link && zip -qr -Z bzip2 out.zip game'],
  '7z split': [
    'zip_malformed',
    'rm game/link && 7z a -bd -v30k out.zip game && mv out.zip.001 out.zip',
  ],
  '7z split, last part': [
    'zip_malformed',
    'rm game/link && 7z a -bd -v30k out.zip game && mv $(ls out.zip.0* | tail -1) out.zip',
  ],
  'zip split': ['zip_malformed', 'rm game/link && zip -qr -s 64k out.zip game'],
  'a stub before zip': [
    'zip_ambiguous',
    'rm game/link && zip -qr in.zip game && (echo "#!/bin/sh"; cat in.zip) > out.zip',
  ],
  'zip -A behind a stub': [
    'zip_ambiguous',
    'rm game/link && zip -qr in.zip game && (echo "#!/bin/sh"; cat in.zip) > out.zip && zip -qA out.zip',
  ],
  'two archives joined': [
    'zip_ambiguous',
    'rm game/link && zip -qr in.zip game && cat in.zip in.zip > out.zip',
  ],
  'bsdtar into a pipe, which pads': [
    'zip_ambiguous',
    'rm game/link && bsdtar -cf - --format zip game | cat > out.zip',
  ],
  'zip of a folder above': [
    'zip_path_invalid',
    'rm game/link && mkdir in && cd in && zip -qr ../out.zip ../game/index.html && cd .. && bsdtar -cPf out.zip --format zip in/../game',
  ],
  tar: ['zip_malformed', 'tar cf out.zip game'],
  '7z format': ['zip_malformed', '7z a -bd -t7z out.7z game && mv out.7z out.zip'],
};

for (const [name, [code, command]] of Object.entries(REFUSED)) {
  test(`readArchive rejects ${name} with ${code}`, { skip }, async () => {
    await using folder = await scratchFolder();
    await writeTree(folder.path, TREE);
    await symlink('index.html', join(folder.path, 'game/link'));
    const made = run('sh', ['-ec', command], { cwd: folder.path });
    assert.equal(made.status, 0, made.stderr + made.stdout);
    await assert.rejects(
      async () => {
        await using archive = await readArchive(join(folder.path, 'out.zip'));
        await extractEntries(archive, null);
      },
      (error) => {
        assert.ok(error instanceof BuildError);
        assert.equal(error.code, code, JSON.stringify(error.findings.slice(0, 3)));
        return true;
      },
    );
  });
}

test('readArchive names a missing file', async () => {
  await using folder = await scratchFolder();
  await assert.rejects(readArchive(join(folder.path, 'none.zip')), { code: 'ENOENT' });
  await assert.rejects(readArchive(folder.path), /not a regular file|EISDIR/);
  await writeFile(join(folder.path, 'empty.zip'), '');
  await assert.rejects(readArchive(join(folder.path, 'empty.zip')), { code: 'zip_malformed' });
});
