// The single executables for other systems, which do not run here: what is in their archives and inside the programs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { extract, list } from 'tar';
import { filesIn } from '../../release/archive.ts';
import { SERVER_MANUALS } from '../../release/linux/shared-files.ts';
import { lockedPackage } from '../../release/locked-packages.ts';
import { stageProduct } from '../../release/pack-product.ts';
import { CLI, PLATFORM, type Product, WEB } from '../../release/products.ts';
import { writeServer } from '../../release/server/write-server.ts';
import { readNode } from '../../release/single-file/read-node.ts';
import { TARGETS, type Target } from '../../release/single-file/targets.ts';
import { readMachO } from '../../release/single-file/testing/read-mach-o.ts';
import { signatureFault } from '../../release/single-file/testing/signature-fault.ts';
import { writeExecutable } from '../../release/single-file/write-executable.ts';
import { buildBrowserCode } from '../../scripts/build-browser.ts';
import { readVersion } from '../../scripts/version.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { TIME } from './make-release.ts';
import { type Executable, readExecutable, readSeaData } from './read-sea-data.ts';

// scripts/provision.ts has put the packages into npm's cache.
process.env['npm_config_offline'] = 'true';

const MOST_BYTES = 120e6;
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const SYSTEMS: Readonly<Record<string, string>> = {
  'linux-x64': 'ELF x64',
  'linux-arm64': 'ELF arm64',
  'macos-x64': 'Mach-O x64',
  'macos-arm64': 'Mach-O arm64',
  'windows-x64': 'PE x64',
};
const TEXTS = ['LICENSE', 'THIRD-PARTY-NOTICES.txt'];
const SHARED = [
  'share/bash-completion/completions/svc',
  'share/fish/vendor_completions.d/svc.fish',
  'share/man/man1/svc.1',
  'share/zsh/site-functions/_svc',
];

const home = mkdtempSync(join(tmpdir(), 'svc-systems-'));
const packaged = join(home, 'packaged');
before(async () => {
  buildBrowserCode();
  await stageProduct(CLI, packaged);
});
after(() => rmSync(home, { recursive: true, force: true }));

/** Returns why the test of a system cannot run: its Node, or the program that unpacks its archive, is not here. */
function missingFor({ node, name }: Target): string | null {
  const isInstalled = existsSync(join(ROOT, 'node_modules', node));
  const args = ['pack', '--dry-run', '--silent', `${node}@${lockedPackage(node).version}`];
  if (!isInstalled && spawnSync('npm', args, { cwd: home }).status !== 0) {
    return `${node} is not in npm's cache`;
  }
  const needsUnzip = name.startsWith('windows-');
  return needsUnzip && spawnSync('unzip', ['-v']).status !== 0 ? 'unzip is not installed' : null;
}

/** Makes the archive and unpacks it. Returns the names and modes that it states, and the folder. */
async function makeArchive(target: Target) {
  const out = join(home, target.name);
  const folder = join(out, 'unpacked');
  mkdirSync(folder, { recursive: true });
  await writeExecutable(target, { packaged, out, time: TIME });
  const file = join(out, `svc-${readVersion()}-${target.name}`);
  const modes: Record<string, number> = {};
  if (target.name.startsWith('windows-')) {
    const { status, stderr } = spawnSync('unzip', ['-q', `${file}.zip`, '-d', folder]);
    assert.equal(status, 0, String(stderr));
    // Windows has no modes.
    for (const path of filesIn(folder)) modes[path] = 0o644;
  } else {
    const archive = `${file}.tar.gz`;
    await list({
      file: archive,
      onReadEntry: ({ path, mode = 0 }) => {
        modes[path] = mode & 0o777;
      },
    });
    await extract({ file: archive, cwd: folder });
  }
  return { modes, folder };
}

function checkFiles(target: Target, modes: object): void {
  const isWindows = target.name.startsWith('windows-');
  const others = isWindows ? TEXTS : [...TEXTS, ...SHARED];
  assert.deepEqual(modes, {
    ...Object.fromEntries(others.map((name) => [name, 0o644])),
    [isWindows ? 'svc.exe' : 'svc']: isWindows ? 0o644 : 0o755,
  });
}

/** The program contains the files of the package, byte for byte, and the script that starts them. */
function checkData({ found }: Executable, version: string): void {
  const [data] = found;
  assert.ok(data !== undefined && found.length === 1, `${found.length} resources`);
  const { files, ...script } = readSeaData(data, version);
  const start = readFileSync(join(ROOT, 'release/single-file/start.js'), 'utf8');
  const own = start.replace('export function', 'function');
  const main = `${own}start('main.mjs');\n`;
  assert.deepEqual(script, { flags: 9, arguments: 1, mainName: 'svc', main });
  const dist = join(packaged, 'dist');
  const names = filesIn(dist);
  assert.ok(names.includes('main.mjs') && names.includes('viewer/index.html'));
  assert.deepEqual([...files.keys()].sort(), [...names, 'start.js'].sort());
  assert.equal(files.get('start.js')?.toString(), own);
  for (const name of names) {
    assert.ok(files.get(name)?.equals(readFileSync(join(dist, name))), name);
  }
}

/** Node looks for the data only if this text in its program ends with 1. */
function checkFuse(program: Buffer): void {
  const at = program.indexOf(FUSE);
  assert.equal(program.toString('latin1', at + FUSE.length, at + FUSE.length + 2), ':1');
  assert.equal(program.indexOf(FUSE, at + 1), -1);
}

/** A program for macOS has the exported and imported symbols of Node's program, and no others. */
function checkMacOs(program: Buffer, node: Buffer): void {
  assert.equal(signatureFault(program, 'svc'), null);
  const [before, after] = [readMachO(node), readMachO(program)];
  assert.ok(before.groups.locals.length > 100_000 && before.groups.exported.length > 10_000);
  const { exported, imported } = before.groups;
  const names = (symbols: typeof exported): string[] => symbols.map(({ name }) => name);
  assert.deepEqual(after.groups.locals, []);
  assert.deepEqual(names(after.groups.exported), names(exported));
  assert.deepEqual(names(after.groups.imported), names(imported));
  assert.deepEqual(names([...after.symbols]), names([...exported, ...imported]));
  assert.deepEqual(after.indirect, before.indirect);
  const kept = new Set(names([...exported, ...imported]));
  assert.deepEqual(
    after.strings.filter((name) => name.trim() !== '' && !kept.has(name)),
    [],
  );
}

/** Of what Node's program has only for debuggers nothing is left in the program for Linux. */
function checkLinux(program: Buffer, node: Buffer): void {
  const table = Number(node.readBigUInt64LE(40));
  let removed = 0;
  for (let index = 0; index < node.readUInt16LE(60); index++) {
    const at = table + 64 * index;
    const isLoaded = (node.readBigUInt64LE(at + 8) & 2n) !== 0n;
    const [offset, bytes] = [24, 32].map((field) => Number(node.readBigUInt64LE(at + field)));
    if (isLoaded || bytes === undefined || offset === undefined || bytes < 1_000) continue;
    const middle = offset + Math.floor(bytes / 2);
    assert.equal(program.indexOf(node.subarray(middle, middle + 200)), -1, `section ${index}`);
    removed++;
  }
  assert.ok(removed >= 2);
  // The loader finds the program headers in memory, where they must be aligned.
  assert.equal(program.readBigUInt64LE(32) % 8n, 0n);
  assert.deepEqual([program.readBigUInt64LE(40), program.readUInt16LE(60)], [0n, 0]);
}

/** A changed program for Windows has no signature. */
function checkWindows(program: Buffer): void {
  const optional = program.readUInt32LE(0x3c) + 24;
  assert.equal(program.readBigUInt64LE(optional + 112 + 4 * 8), 0n);
  assert.equal(program.readUInt32LE(optional + 64), 0);
}

const THIS = `${process.platform}-${process.arch}`;
for (const target of TARGETS.filter(({ name }) => name !== THIS)) {
  test(`the archive for ${target.name} has a complete executable below 120 MB`, async (t) => {
    const missing = missingFor(target);
    if (missing !== null) return t.skip(missing);
    const { modes, folder } = await makeArchive(target);
    checkFiles(target, modes);
    const file = join(folder, target.executable);
    const { size } = statSync(file);
    assert.ok(size < MOST_BYTES, `${size} bytes`);
    const program = readFileSync(file);
    const executable = readExecutable(program);
    assert.equal(executable.system, SYSTEMS[target.name]);
    const node = await readNode(target);
    checkData(executable, node.version);
    checkFuse(program);
    if (target.name.startsWith('macos-')) checkMacOs(program, node.bytes);
    else if (target.name.startsWith('linux-')) checkLinux(program, node.bytes);
    else checkWindows(program);
    const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    assert.ok(notices.includes(`\nNode.js ${node.version}\n`));
    rmSync(join(home, target.name), { recursive: true });
  });
}

for (const target of TARGETS.filter(({ name }) => name.startsWith('linux-') && name !== THIS)) {
  test(`the servers for ${target.name} contain its programs, and no others`, async (t) => {
    const missing = missingFor(target);
    if (missing !== null) return t.skip(missing);
    const out = join(home, 'servers');
    const folder = join(out, 'unpacked');
    mkdirSync(folder, { recursive: true });
    for (const product of [PLATFORM, WEB]) await stageProduct(product, folderOf(product));
    await writeServer(target, { folderOf, out, time: TIME });
    const name = `svc-server-${readVersion()}-${target.name}.tar.gz`;
    await extract({ file: join(out, name), cwd: folder });
    const programs = filesIn(folder).filter((path) => isElf(join(folder, path)));
    assert.deepEqual(
      programs.map((path) => path.replace(/.*\//, '').replace(/\d.*/, '')),
      ['node', 'libvips-cpp.so.', 'sharp-linux-arm'],
    );
    for (const path of programs) {
      const { system } = readExecutable(readFileSync(join(folder, path)));
      assert.equal(system, SYSTEMS[target.name], path);
    }
    assert.equal(statSync(join(folder, 'bin/svc-platform')).mode & 0o777, 0o755);
    const help = readFileSync(join(folder, SERVER_MANUALS['svc-platform']), 'utf8');
    assert.match(help, /\.SH NAME\nsvc\\-platform \\- [\s\S]*\\-\\-data\\-dir DIR/);
    for (const text of ['LGPL-3.0.txt', 'GPL-3.0.txt', 'README.txt']) {
      assert.ok(existsSync(join(folder, 'lib/svc-server/licenses', text)), text);
    }
  });
}

function folderOf({ workspace }: Product): string {
  return join(home, basename(workspace));
}

function isElf(file: string): boolean {
  return readFileSync(file).subarray(0, 4).toString('latin1') === '\x7fELF';
}
