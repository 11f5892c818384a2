// The single executable for this system: everything that svc does works from the one file, without Node.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, type TestContext, test } from 'node:test';
import { extract, list } from 'tar';
import { loadAllCommands, pathsOf } from '../../packages/cli/src/commands.ts';
import { VERSION } from '../../packages/cli/src/process/version.ts';
import { bareEnvironment, runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { SHARED_FILES } from '../../release/linux/shared-files.ts';
import { TARGETS } from '../../release/single-file/targets.ts';
import { type Made, makeRelease } from './make-release.ts';

const TARGET = TARGETS.find(({ name }) => name === `linux-${process.arch}`);
const skip =
  process.platform === 'linux' && TARGET !== undefined ? false : 'executables are tested on Linux';
const MOST_BYTES = 120e6;

let made: Made;
let svc: string;
before(async () => {
  if (skip !== false) return;
  made = await makeRelease(TARGET === undefined ? [] : [TARGET]);
  const archive = made.files.find((name) => name.includes(`-${TARGET?.name}.`)) ?? '';
  const folder = join(made.folder, '../unpacked');
  mkdirSync(folder);
  await extract({ file: join(made.folder, archive), cwd: folder });
  svc = join(folder, 'svc');
});
after(() => made?.[Symbol.dispose]());

/** An empty home folder. No program is in PATH, so Node is not there. */
function newHome(t: TestContext) {
  const cwd = temporaryFolder(t);
  const env = bareEnvironment(cwd, { PATH: '/nowhere' });
  const run = (args: readonly string[], input = '') =>
    spawnSync(svc, args, { cwd, env, encoding: 'utf8', input });
  return { cwd, env, run };
}

/** The first line of standard output. Fails if the program ends before. */
function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`svc ended with ${code}`)));
  });
}

test('the archive has the executable, below 120 MB, and the licences of what is inside', {
  skip,
}, async () => {
  const entries: string[] = [];
  const archive = made.files.find((name) => name.includes(`-${TARGET?.name}.`)) ?? '';
  await list({ file: join(made.folder, archive), onReadEntry: ({ path }) => entries.push(path) });
  assert.deepEqual(
    entries,
    ['LICENSE', 'THIRD-PARTY-NOTICES.txt', ...Object.values(SHARED_FILES), 'svc'].sort(),
  );
  const { size, mode } = statSync(svc);
  assert.ok(size < MOST_BYTES, `${size} bytes`);
  assert.equal(mode & 0o777, 0o755);
  const notices = readFileSync(join(svc, '../THIRD-PARTY-NOTICES.txt'), 'utf8');
  assert.match(notices, /^commander \d/m);
  assert.match(notices, /^Node\.js \d+\.\d+\.\d+\n\nNode\.js is licensed/m);
});

test('version and help are those of the source, and every command has its help', {
  skip,
}, async (t) => {
  const { run } = newHome(t);
  assert.equal(run(['--version']).stdout, `${VERSION}\n`);
  const help = (await runSvc(t, ['--help'])).stdout;
  for (const args of [['--help'], ['help'], []]) assert.equal(run(args).stdout, help);
  for (const path of pathsOf(await loadAllCommands())) {
    const { status, stdout, stderr } = run([...path, '--help']);
    assert.deepEqual([status, stderr], [0, ''], path.join(' '));
    assert.match(stdout, new RegExp(`^Usage: svc ${path.join(' ')}`));
  }
});

test('traces are converted, reported as text and as a page, and read by an assistant', {
  skip,
}, (t) => {
  const { cwd, run } = newHome(t);
  writeFileSync(join(cwd, 'a.folded'), 'main;draw 3\n');
  assert.equal(run(['trace', 'convert', 'a.folded', '-o', 'a.vpt']).status, 0);
  assert.equal(run(['trace', 'report', 'a.vpt', '-o', 'report.html']).status, 0);
  const page = readFileSync(join(cwd, 'report.html'), 'utf8');
  assert.match(page, /<script type="application\/vnd\.svc\.trace" data-name="a\.vpt">/);
  const lines = [
    {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: {
        ...{ protocolVersion: '2025-06-18', capabilities: {} },
        clientInfo: { name: 'test', version: '1' },
      },
    },
    {
      ...{ jsonrpc: '2.0', id: 2, method: 'tools/call' },
      params: { name: 'trace_functions', arguments: { trace: 'a.vpt' } },
    },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  assert.match(run(['mcp', 'a.vpt'], text).stdout, /draw: 100 % itself/);
});

test('the dashboard serves the viewer from the file, and its threads work', { skip }, async (t) => {
  const { cwd, env } = newHome(t);
  writeFileSync(join(cwd, 'a.folded'), 'main;draw 3\n');
  const args = ['dashboard', 'a.folded', '--json', '--port', '0'];
  const child = spawn(svc, args, { cwd, env, stdio: 'pipe' });
  t.after(() => child.kill('SIGKILL'));
  const line = await firstLine(child);
  const { origin, token }: { origin: string; token: string } = JSON.parse(line);
  const html = await (await fetch(origin)).text();
  for (const [, path = ''] of html.matchAll(/(?:src|href)="(\.?\/assets\/[^"]+)"/g)) {
    assert.equal((await fetch(new URL(path, origin))).status, 200, path);
  }
  const headers = { authorization: `Bearer ${token}` };
  assert.match(await (await fetch(`${origin}/api/trace`, { headers })).text(), /^\{"vpt":1/);
  assert.equal((await fetch(`${origin}/api/assets`, { headers })).status, 200);
  child.kill('SIGINT');
  assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 0);
});

test('no signal opens Node’s inspector, and the keyring says where it works', {
  skip,
}, async (t) => {
  const { cwd, env, run } = newHome(t);
  const set = run(['key', 'set', '--provider', 'openai', '-'], 'sk-1');
  assert.notEqual(set.status, 0);
  assert.match(set.stderr, /keyring/i);
  const child = spawn(svc, ['dashboard', '--json', '--port', '0'], { cwd, env, stdio: 'pipe' });
  t.after(() => child.kill('SIGKILL'));
  let faults = '';
  child.stderr.on('data', (chunk) => {
    faults += String(chunk);
  });
  await firstLine(child);
  child.kill('SIGUSR1');
  assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 0);
  assert.doesNotMatch(faults, /debugger|inspector/i);
});

test('nothing is written outside the folders that commands name', { skip }, (t) => {
  const { cwd, run } = newHome(t);
  assert.equal(run(['--help']).status, 0);
  writeFileSync(join(cwd, 'a.folded'), 'main;draw 3\n');
  assert.equal(run(['trace', 'top', 'a.folded']).status, 0);
  rmSync(join(cwd, 'a.folded'));
  assert.deepEqual(readdirSync(cwd), []);
});
