// The packages as users install them: from the archives, with npm and a registry on this machine, on Node 24 and on an older Node.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, type TestContext, test } from 'node:test';
import { loadAllCommands, pathsOf } from '../../packages/cli/src/commands.ts';
import { VERSION } from '../../packages/cli/src/process/version.ts';
import { bareEnvironment, runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { signInFor } from '../cli/platform-process.ts';
import { type Made, makeRelease } from './make-release.ts';
import { type Registry, startRegistry } from './start-registry.ts';

let made: Made;
let registry: Registry;
before(async () => {
  made = await makeRelease();
  registry = await startRegistry();
});
after(async () => {
  made[Symbol.dispose]();
  await registry[Symbol.asyncDispose]();
});

/** The Node of the system, which `npm ci` ran on. */
const SYSTEM_NODE = '/usr/bin/node';

/** An empty home folder, and how to run programs in it. `node` is the folder of the Node that comes first. */
function newHome(t: TestContext, node: string) {
  const cwd = temporaryFolder(t);
  const env = bareEnvironment(cwd, {
    PATH: `${node}:${process.env['PATH'] ?? ''}`,
    npm_config_registry: registry.url,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  });
  const run = (command: string, args: readonly string[], input?: string) =>
    spawnSync(command, args, { cwd, env, encoding: 'utf8', input });
  /** The registry answers in this process, so npm must not block it. */
  const npm = async (...args: string[]): Promise<void> => {
    const child = spawn('npm', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (output += String(chunk)));
    }
    assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0, output);
    // One line says how many packages were added. A second would be a warning.
    assert.match(output.trim(), /^(?:added|removed) \d+ packages? in \S+$/);
  };
  return { cwd, env, run, npm };
}

const archiveOf = (name: string): string => join(made.folder, `svc-${name}-${VERSION}.tgz`);

/** Starts a server that prints a line of JSON when it listens. It is stopped at the end of the test. */
async function listening(
  t: TestContext,
  program: string,
  args: readonly string[],
  { cwd, env }: ReturnType<typeof newHome>,
): Promise<{ readonly first: Record<string, string>; readonly stop: () => Promise<unknown> }> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let faults = '';
  child.stderr.on('data', (chunk) => (faults += String(chunk)));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${faults}`)));
  });
  return {
    first: JSON.parse(line),
    stop: () => {
      child.kill('SIGINT');
      return exited;
    },
  };
}

test('npm install --global: every command of svc starts, and the dashboard serves the viewer', async (t) => {
  const at = newHome(t, dirname(process.execPath));
  const { cwd: home, run } = at;
  const prefix = join(home, 'prefix');
  await at.npm('install', '--global', '--prefix', prefix, archiveOf('cli'));
  const svc = (...args: string[]) => run(join(prefix, 'bin/svc'), args);

  assert.equal(svc('--version').stdout, `${VERSION}\n`);
  // A package prints the list of commands without loading them.
  assert.equal(svc('--help').stdout, (await runSvc(t, ['--help'])).stdout);
  for (const path of pathsOf(await loadAllCommands())) {
    const { status, stdout, stderr } = svc(...path, '--help');
    assert.deepEqual([status, stderr], [0, ''], path.join(' '));
    assert.match(stdout, new RegExp(`^Usage: svc ${path.join(' ')}`));
  }
  writeFileSync(join(home, 'a.folded'), 'main;draw 3\n');
  assert.equal(svc('trace', 'convert', 'a.folded', '-o', 'a.vpt').status, 0);
  const hello = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  };
  const call = { name: 'trace_functions', arguments: { trace: 'a.vpt' } };
  const served = run(
    join(prefix, 'bin/svc'),
    ['mcp', 'a.vpt'],
    [hello, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }]
      .map((message) => `${JSON.stringify(message)}\n`)
      .join(''),
  );
  assert.deepEqual([served.status, served.stderr], [0, '']);
  assert.match(served.stdout, /"id":2.*draw: 100 % itself|draw: 100 % itself.*"id":2/);
  assert.equal(svc('trace', 'report', 'a.vpt', '-o', 'report.html').status, 0);
  assert.match(
    readFileSync(join(home, 'report.html'), 'utf8'),
    /<script type="application\/vnd\.svc\.trace" data-name="a\.vpt">/,
  );
  assert.match(svc('completion', 'bash').stdout, /complete -o filenames/);
  writeFileSync(join(home, 'index.html'), '<title>Cats</title>');
  assert.equal(svc('init', '--yes', '--build', 'index.html').status, 0);
  assert.equal(svc('whoami').status, 2);
  const schemas = join(prefix, 'lib/node_modules/@svc/cli/schemas');
  assert.ok(existsSync(join(schemas, 'svc.json')));

  const args = ['dashboard', 'a.vpt', '--json', '--port', '0'];
  const { first, stop } = await listening(t, join(prefix, 'bin/svc'), args, at);
  const { origin, token } = first;
  assert.match(await (await fetch(String(origin))).text(), /<script/);
  const headers = { authorization: `Bearer ${token}` };
  const opened = await fetch(`${origin}/api/trace`, { headers });
  assert.match(await opened.text(), /^\{"vpt":1/);
  // Reports are created in the bundled worker.
  assert.equal((await fetch(`${origin}/api/assets`, { headers })).status, 200);
  assert.equal(await stop(), 0);

  await at.npm('uninstall', '--global', '--prefix', prefix, '@svc/cli');
  assert.deepEqual(
    readdirSync(prefix, { recursive: true, withFileTypes: true }).filter(
      (one) => !one.isDirectory(),
    ),
    [],
  );
});

for (const [name, node] of [
  ['Node 24', dirname(process.execPath)],
  ['an older Node', dirname(SYSTEM_NODE)],
] as const) {
  test(`npm install in an empty folder on ${name}: a game is published, and the store shows it`, async (t) => {
    const { stdout } = spawnSync(join(node, 'node'), ['--version'], { encoding: 'utf8' });
    if (name === 'an older Node' && !/^v(?:1[89]|2[0-3])\./.test(stdout ?? '')) {
      return t.skip('no older Node is installed');
    }
    const at = newHome(t, node);
    const { cwd: home, run } = at;
    await at.npm('install', ...['cli', 'platform', 'web'].map(archiveOf));
    const bin = (program: string): string => join(home, 'node_modules/.bin', program);
    assert.equal(run(bin('svc'), ['--version']).stdout, `${VERSION}\n`);
    const api = ['--dev', '--json', '--port', '0', '--data-dir', join(home, 'data')];
    const platform = await listening(t, bin('svc-platform'), api, at);
    const { base_url: base = '' } = platform.first;
    const store = await listening(t, bin('svc-web'), ['--api', base, '--json', '--port', '0'], at);
    const page = await fetch(String(store.first['origin']));
    const html = await page.text();
    const [, styles = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? [];
    assert.match(
      await (await fetch(new URL(styles, store.first['origin']))).text(),
      /--[\w-]+:[\s\S]*\.panel/,
    );
    mkdirSync(join(home, 'game'));
    writeFileSync(join(home, 'game/index.html'), '<!doctype html><title>Cats</title>');
    const login = spawn(bin('svc'), ['login', '--web', '--no-open', '--api', base], {
      ...{ cwd: home, env: at.env, stdio: ['ignore', 'ignore', 'pipe'] },
    });
    assert.match(await signInFor(login, 'Ada'), /You are signed in/);
    assert.equal(await new Promise((resolve) => login.once('close', resolve)), 0);
    assert.equal(run(bin('svc'), ['init', '--yes', '--build', 'game']).status, 0);
    const published = run(bin('svc'), ['publish', '--json']);
    assert.equal(published.status, 0, published.stdout + published.stderr);
    const { game } = JSON.parse(published.stdout);
    assert.match(await (await fetch(game.play_url)).text(), /<title>Cats<\/title>/);
    const shop = await fetch(`${store.first['origin']}/games/${game.slug}`);
    assert.equal(shop.status, 200);
    assert.equal(await store.stop(), 0);
    assert.equal(await platform.stop(), 0);
  });
}
