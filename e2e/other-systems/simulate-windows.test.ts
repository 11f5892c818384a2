// The simulation of Windows shows typical faults of paths, and the places where svc has rules of its own for Windows.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { startOn } from './start-on.ts';
import { isPossible, toHostPath, toWindowsPath } from './windows-paths.ts';

test('paths of Windows and of this machine', () => {
  for (const [windows, host] of [
    ['C:\\tmp\\a b', '/tmp/a b'],
    ['c:/tmp/x', '/tmp/x'],
    ['\\\\?\\C:\\tmp', '/tmp'],
    ['C:\\', '/'],
    ['C:', '/'],
    ['\\tmp', '/tmp'],
    ['a\\b', 'a/b'],
    ['', ''],
  ]) {
    assert.equal(toHostPath(windows ?? ''), host, windows);
  }
  assert.deepEqual(['/tmp/a', 'a/b', '/'].map(toWindowsPath), ['C:\\tmp\\a', 'a\\b', 'C:\\']);
  for (const path of ['C:\\a\\b.txt', '..\\a', '.', 'a.b', '.x', 'con-1', 'C:\\']) {
    assert.ok(isPossible(path), path);
  }
  for (const path of [
    'a:b',
    'a"b',
    'x\\con.txt',
    'NUL',
    'a.',
    'a ',
    'a\nb',
    'C:\\a\\b?',
    'a.\\b',
  ]) {
    assert.ok(!isPossible(path), path);
  }
});

test('the simulation shows faults of paths', (t) => {
  const folder = temporaryFolder(t);
  const program = join(folder, 'program.ts');
  writeFileSync(
    program,
    `import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
const codeOf = (work) => { try { work(); return null; } catch (error) { return [error.code, error.message.includes('/')]; } };
const own = fileURLToPath(import.meta.url);
const made = mkdtempSync(join(import.meta.dirname, 'made-'));
writeFileSync(join(made, 'x'), '');
const folder = await open(made, 'r');
const child = spawnSync(process.execPath, ['-p', 'process.platform'], { encoding: 'utf8' });
console.log(JSON.stringify({
  platform: process.platform, sep, joined: join('a', 'b'), relative: relative(import.meta.dirname, own),
  isOwn: own === import.meta.filename && resolve('program.ts') === own && realpathSync(own) === own,
  starts: [own, process.cwd(), made, tmpdir()].every((path) => path.startsWith('C:\\\\')),
  missing: codeOf(() => statSync(join(made, 'y'))), impossible: codeOf(() => writeFileSync(join(made, 'a:b'), '')),
  sync: await folder.sync().then(() => null, ({ code }) => code),
  entry: readdirSync(made, { withFileTypes: true }).map(({ parentPath, name }) => [parentPath === made, name]),
  socket: codeOf(() => createServer().listen(join(made, 'socket'))),
  child: child.stdout.trim(), exists: existsSync(own) && basename(own),
}));
await folder.close();
`,
  );
  const simulation = join(import.meta.dirname, 'simulate-windows.ts');
  const flags = ['--disable-warning=ExperimentalWarning', '--import', simulation];
  const output = execFileSync(process.execPath, [...flags, program], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(output), {
    platform: 'win32',
    sep: '\\',
    joined: 'a\\b',
    relative: 'program.ts',
    isOwn: true,
    starts: true,
    missing: ['ENOENT', false],
    impossible: ['ENOENT', false],
    sync: 'EPERM',
    entry: [[true, 'x']],
    socket: ['EACCES', false],
    child: 'win32',
    exists: 'program.ts',
  });
});

test('on Windows a build may be named with backslashes, and svc.json has slashes', async (t) => {
  const home = temporaryFolder(t);
  mkdirSync(join(home, 'dist/web'), { recursive: true });
  writeFileSync(join(home, 'dist/web/index.html'), '<title>x</title>');
  const run = async (...args: string[]) => await finish(startOn(t, 'windows', home, args));
  const checked = await run('check', 'dist\\web');
  assert.equal(checked.code, 0, checked.stderr);
  const written = await run('init', '--yes', '--build', 'dist\\web');
  assert.equal(written.code, 0, written.stderr);
  assert.equal(JSON.parse(readFileSync(join(home, 'svc.json'), 'utf8')).build, 'dist/web');
  const outside = await run('check', '..\\elsewhere');
  assert.equal(outside.code, 7, outside.stderr);
  assert.ok(!existsSync(join(home, 'C:')));
});
