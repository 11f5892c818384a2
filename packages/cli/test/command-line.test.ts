// The command line itself: help, version, wrong usage, the start file on an old Node, a closed pipe.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { VPT_VERSION } from '@svc/trace';
import { Errors } from 'typebox/value';
import { loadAllCommands, pathsOf } from '../src/commands.ts';
import { VersionDocument } from '../src/documents.ts';
import { VERSION } from '../src/process/version.ts';
import { bareEnvironment, finish, runSvc, SVC, startSvc, temporaryFolder } from './svc.ts';

const COMMANDS = await loadAllCommands();
const PATHS = pathsOf(COMMANDS);

test('svc alone lists every command and the exit codes, and exits with 0', async (t) => {
  const { code, stdout, stderr } = await runSvc(t, []);
  assert.equal(code, 0);
  assert.equal(stderr, '');
  for (const spec of COMMANDS) assert.match(stdout, new RegExp(`^ {2}${spec.name} `, 'm'));
  assert.match(stdout, /^ {2}130 +interrupted$/m);
});

test('svc --version prints the version of the package', async (t) => {
  const { code, stdout } = await runSvc(t, ['--version']);
  assert.deepEqual({ code, stdout }, { code: 0, stdout: `${VERSION}\n` });
});

test('svc --version --json prints the versions of svc, of the trace format and of Node', async (t) => {
  for (const args of [
    ['--version', '--json'],
    ['--json', '-V'],
  ]) {
    const { code, stdout } = await runSvc(t, args);
    assert.equal(code, 0);
    const document: unknown = JSON.parse(stdout);
    assert.deepEqual([...Errors(VersionDocument, document)], []);
    const { node } = process.versions;
    assert.deepEqual(document, { version: VERSION, format: VPT_VERSION, node });
  }
});

test('svc COMMAND --help explains each command on stdout, without colour and within 100 columns', async (t) => {
  for (const path of PATHS) {
    const { code, stdout, stderr } = await runSvc(t, [...path, '--help']);
    assert.equal(code, 0, path.join(' '));
    assert.equal(stderr, '');
    assert.match(stdout, new RegExp(`^Usage: svc ${path.join(' ')}`));
    assert.ok(!stdout.includes('\x1b'), path.join(' '));
    for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line);
  }
});

test('svc help COMMAND is the same as svc COMMAND --help', async (t) => {
  const [one, two] = await Promise.all([
    runSvc(t, ['help', 'completion']),
    runSvc(t, ['completion', '--help']),
  ]);
  assert.equal(one.stdout, two.stdout);
  assert.equal(one.code, 0);
});

test('svc help GROUP COMMAND explains the command, and ignores further words', async (t) => {
  const { stdout } = await runSvc(t, ['token', 'create', '--help']);
  assert.match(stdout, /^Usage: svc token create /);
  for (const args of [
    ['help', 'token', 'create'],
    ['--json', 'help', 'token', 'create'],
    ['help', 'token', 'create', 'extra'],
  ]) {
    const help = await runSvc(t, args);
    assert.deepEqual([help.code, help.stdout, help.stderr], [0, stdout, ''], args.join(' '));
  }
  for (const [args, hint] of [
    [['help', 'frobnicate'], 'svc help'],
    [['help', 'token', 'frobnicate'], 'svc help token'],
    [['token', 'list', '--frobnicate'], 'svc help token list'],
  ] as const) {
    const wrong = await runSvc(t, args);
    assert.deepEqual([wrong.code, wrong.stdout], [2, ''], args.join(' '));
    assert.match(wrong.stderr, /^svc: Unknown \w+ '-*frobnicate'/);
    assert.ok(wrong.stderr.endsWith(`\nSee ${hint}.\n`), wrong.stderr);
  }
});

test('svc with wrong usage exits with 2 and writes one sentence to stderr and nothing to stdout', async (t) => {
  const wrong = [
    ['frobnicate'],
    ['--frobnicate'],
    ['completion'],
    ['completion', 'tcsh'],
    ['completion', 'bash', 'extra'],
    ['dashboard', '--port', '65536'],
  ];
  for (const args of wrong) {
    const { code, stdout, stderr } = await runSvc(t, args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, args.join(' '));
    assert.match(stderr, /^svc: \S.*[^.]\.\n/, args.join(' '));
    assert.ok(!stderr.includes('    at '), stderr);
  }
});

test('svc --json reports wrong usage as one document, with --json in any place', async (t) => {
  for (const args of [
    ['frobnicate', '--json'],
    ['--json', 'frobnicate'],
  ]) {
    const { code, stdout } = await runSvc(t, args);
    assert.equal(code, 2);
    const { error } = JSON.parse(stdout);
    assert.equal(error.code, 'usage');
    assert.equal(error.exit_code, 2);
    assert.match(error.message, /frobnicate/);
  }
});

test('svc suggests a similar command for an unknown one', async (t) => {
  const { stderr } = await runSvc(t, ['completoin', 'bash']);
  assert.match(stderr, /completion/);
});

test('svc reports no error when its reader closes the pipe', async (t) => {
  const home = temporaryFolder(t);
  const child = spawn(
    '/bin/sh',
    ['-c', `"$0" "$1" completion bash | head -c 10`, process.execPath, SVC],
    {
      env: bareEnvironment(home),
    },
  );
  const { code, stdout, stderr } = await finish(child);
  assert.deepEqual({ code, length: stdout.length, stderr }, { code: 0, length: 10, stderr: '' });
  // This reader closes the pipe before anything is written.
  const unread = startSvc(t, ['completion', 'bash']);
  unread.stdout?.destroy();
  const ended = await finish(unread);
  assert.deepEqual([ended.code, ended.stderr], [0, '']);
});

test('svc exits with 1 and an error if its result cannot be written', async (t) => {
  const home = temporaryFolder(t);
  for (const line of ['--version', 'completion bash', 'help']) {
    const child = spawn(
      '/bin/sh',
      ['-c', `exec "$0" "$1" ${line} > /dev/full`, process.execPath, SVC],
      {
        env: bareEnvironment(home),
      },
    );
    const { code, stderr } = await finish(child);
    assert.deepEqual(
      [code, stderr],
      [1, 'svc: Cannot write the result: the disk is full.\n'],
      line,
    );
  }
});

test('svc started by an older system Node runs on one that fits, and keeps its exit code', (t) => {
  const system = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => existsSync(path));
  const node = system ?? process.execPath;
  // An older Node may not know the options of the Node that runs this test.
  const { NODE_OPTIONS: _, ...env } = process.env;
  t.diagnostic(`started by ${spawnSync(node, ['--version'], { encoding: 'utf8', env }).stdout}`);
  const shown = spawnSync(node, [SVC, '--version'], { encoding: 'utf8', env });
  assert.deepEqual([shown.status, shown.stdout], [0, `${VERSION}\n`]);
  const wrong = spawnSync(node, [SVC, 'frobnicate'], { encoding: 'utf8', env });
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /frobnicate/);
});
