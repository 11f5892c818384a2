// The package for users: packed, installed into an empty prefix, and every command started from there.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { loadAllCommands, pathsOf } from '../../packages/cli/src/commands.ts';
import { VERSION } from '../../packages/cli/src/process/version.ts';
import { bareEnvironment, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { ROOT } from '../../scripts/workspaces.ts';

test('npm pack, npm i -g into a prefix: every command starts, the dashboard serves the viewer', async (t) => {
  const folder = temporaryFolder(t);
  const env = bareEnvironment(folder, {
    // A user of the package would run it with the Node that runs the tests.
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    npm_config_cache: join(folder, 'cache'),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  });
  const npm = (...args: string[]): string => {
    const result = spawnSync('npm', args, {
      cwd: join(ROOT, 'packages/cli'),
      env,
      encoding: 'utf8',
    });
    assert.equal(result.status, 0, result.stdout + result.stderr);
    return result.stdout;
  };
  npm('pack', '--pack-destination', folder);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  npm('install', '--global', '--prefix', join(folder, 'prefix'), join(folder, archive));
  const svc = join(folder, 'prefix/bin/svc');
  const run = (...args: string[]) => spawnSync(svc, args, { cwd: folder, env, encoding: 'utf8' });

  assert.equal(run('--version').stdout, `${VERSION}\n`);
  for (const path of pathsOf(await loadAllCommands())) {
    const { status, stdout, stderr } = run(...path, '--help');
    assert.deepEqual([status, stderr], [0, ''], path.join(' '));
    assert.match(stdout, new RegExp(`^Usage: svc ${path.join(' ')}`));
  }
  writeFileSync(join(folder, 'a.folded'), 'main;draw 3\n');
  assert.equal(run('trace', 'convert', 'a.folded', '-o', 'a.vpt').status, 0);
  const hello = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  };
  const call = { name: 'trace_functions', arguments: { trace: 'a.vpt' } };
  const served = spawnSync(svc, ['mcp', 'a.vpt'], {
    ...{ cwd: folder, env, encoding: 'utf8' },
    input: [hello, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }]
      .map((message) => `${JSON.stringify(message)}\n`)
      .join(''),
  });
  assert.deepEqual([served.status, served.stderr], [0, '']);
  assert.match(served.stdout, /"id":2.*draw: 100 % itself|draw: 100 % itself.*"id":2/);
  assert.equal(run('trace', 'report', 'a.vpt', '-o', 'report.html').status, 0);
  assert.match(
    readFileSync(join(folder, 'report.html'), 'utf8'),
    /<script type="application\/vnd\.svc\.trace" data-name="a\.vpt">/,
  );
  assert.match(run('completion', 'bash').stdout, /complete -o filenames/);
  writeFileSync(join(folder, 'index.html'), '<title>Cats</title>');
  assert.equal(run('init', '--yes', '--build', 'index.html').status, 0);
  assert.equal(run('whoami').status, 2);
  const schemas = join(folder, 'prefix/lib/node_modules/@svc/cli/schemas');
  assert.ok(existsSync(join(schemas, 'svc.json')));

  const dashboard = spawn(svc, ['dashboard', 'a.vpt', '--json', '--port', '0'], {
    cwd: folder,
    env,
  });
  t.after(() => dashboard.kill('SIGKILL'));
  const first = await new Promise<string>((resolve) =>
    createInterface(dashboard.stdout).once('line', resolve),
  );
  const { origin, token }: { origin: string; token: string } = JSON.parse(first);
  assert.match(await (await fetch(origin)).text(), /<script/);
  const headers = { authorization: `Bearer ${token}` };
  const opened = await fetch(`${origin}/api/trace`, { headers });
  assert.match(await opened.text(), /^\{"vpt":1/);
  // Reports are created in the bundled worker.
  assert.equal((await fetch(`${origin}/api/assets`, { headers })).status, 200);
  dashboard.kill('SIGINT');
  assert.equal(await new Promise((resolve) => dashboard.once('exit', resolve)), 0);
});
