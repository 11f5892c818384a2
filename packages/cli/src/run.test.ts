// How a failing command line ends: exit code, message, document.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere } from '../test/run-here.ts';
import { temporaryFolder } from '../test/svc.ts';

test('run reports a bug in svc with exit code 1', async (t) => {
  const cwd = temporaryFolder(t);
  const onSignal = () => {
    throw new RangeError('Boom');
  };
  const { code, stdout, stderr } = await runHere(t, ['check', '--json'], { cwd, io: { onSignal } });
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout), {
    error: {
      code: 'internal',
      message: 'Unexpected: Boom',
      exit_code: 1,
      hint: 'This is a bug in svc. Set SVC_DEBUG=1 to see the stack trace.',
    },
  });
  assert.match(stderr, /^svc: Unexpected: Boom\n/);
});

test('run treats --json after -- as an argument', async (t) => {
  const { code, stdout } = await runHere(t, ['check', '--', '--json']);
  assert.deepEqual([code, stdout], [7, '']);
  const reported = await runHere(t, ['check', '--json', '--', 'none']);
  assert.equal(JSON.parse(reported.stdout).error.code, 'build_not_found');
});

test('run names the help of the command with wrong usage, and suggests a similar command', async (t) => {
  for (const [args, stderr] of [
    [['publsh'], "svc: Unknown command 'publsh' (Did you mean publish?)\nSee svc help.\n"],
    [
      ['token', 'create'],
      'svc: The option --name is missing. Add --name <NAME>.\nSee svc help token create.\n',
    ],
    [
      ['trace', 'convert', 'a', '-o'],
      'svc: The option --out has no value. Write -o, --out <OUT>.\nSee svc help trace convert.\n',
    ],
    [['promote'], 'svc: The argument VERSION is missing.\nSee svc help promote.\n'],
  ] as const) {
    const reported = await runHere(t, args);
    assert.deepEqual([reported.code, reported.stdout, reported.stderr], [2, '', stderr]);
  }
  const group = await runHere(t, ['token']);
  assert.deepEqual([group.code, group.stdout], [2, '']);
  assert.match(group.stderr, /^Usage: svc token [\s\S]*\nsvc: The command is missing\.\n/);
});

test('run writes only events to the standard output of a streaming command', async (t) => {
  const { code, stdout, stderr } = await runHere(t, ['dashboard', '--json', '--port', 'x']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /^svc: The value "x" of --port is not valid\./);
});

test('run finds the commands of a group, and fits help to the terminal, up to 100 columns', async (t) => {
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  writeFileSync(join(cwd, 'dist/index.html'), '<title>x</title>');
  const group = await runHere(t, ['trace', '--help']);
  assert.equal(group.code, 0);
  for (const name of ['analyze', 'assets', 'budget', 'check', 'convert', 'info']) {
    assert.match(group.stdout, new RegExp(`^ {2}${name} `, 'm'));
  }
  const help = await runHere(t, ['help', 'publish']);
  assert.ok(help.stdout.split('\n').every((line) => line.length <= 80));
  assert.match(help.stdout, /^Examples:\n {2}\$ svc publish\n {6}the build that svc\.json names$/m);
});
