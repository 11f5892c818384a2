// `svc` on a terminal: a token pasted without echo, questions, Ctrl-C, colours.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { json, ME, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { bareEnvironment, runSvc, SVC, temporaryFolder } from './svc.ts';
import { openTerminal } from './terminal.ts';

const command = (args: string): string => `'${process.execPath}' '${SVC}' ${args}`;

test('svc login --token - on a terminal reads a pasted token without showing it', async (t) => {
  const platform = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const home = temporaryFolder(t);
  const line = command(`login --api ${platform.url} --token -`);
  const terminal = openTerminal(t, line, bareEnvironment(home), home);
  if (terminal === null) return;
  await terminal.shows(/Token for http/);
  terminal.type(TOKEN, 'Enter');
  const screen = await terminal.shows(/EXIT=\d+/);
  assert.match(screen, /Logged in as Ada[\s\S]*EXIT=0/);
  assert.ok(!screen.includes(TOKEN.slice(0, 12)));
  const saved = JSON.parse(readFileSync(join(home, '.config/svc/credentials'), 'utf8'));
  assert.equal(saved.token, TOKEN);
});

test('svc login on a terminal exits with 130 after Ctrl-C, and saves nothing', async (t) => {
  const platform = await startFaultyPlatform(t, {});
  const home = temporaryFolder(t);
  const line = command(`login --api ${platform.url} --token -`);
  const terminal = openTerminal(t, line, bareEnvironment(home), home);
  if (terminal === null) return;
  await terminal.shows(/Token for http/);
  terminal.type('C-c');
  assert.match(await terminal.shows(/EXIT=\d+/), /EXIT=130/);
  assert.ok(!existsSync(join(home, '.config/svc')));
});

test('svc init on a terminal asks with its guesses, and uses them or the typed text', async (t) => {
  const home = temporaryFolder(t);
  mkdirSync(join(home, 'web'));
  writeFileSync(join(home, 'web/index.html'), '<title>Guessed</title>');
  const terminal = openTerminal(t, command('init'), bareEnvironment(home), home);
  if (terminal === null) return;
  await terminal.shows(/Title \[Guessed\]:/);
  terminal.type('Typed title', 'Enter');
  await terminal.shows(/Folder with the build \[web\]:/);
  terminal.type('Enter');
  assert.match(await terminal.shows(/EXIT=\d+/), /EXIT=0/);
  const project = JSON.parse(readFileSync(join(home, 'svc.json'), 'utf8'));
  assert.deepEqual(project, { title: 'Typed title', engine: 'html5', build: 'web' });
});

test('svc init on a terminal exits with 130 after Ctrl-C and Ctrl-D, and writes no file', async (t) => {
  for (const key of ['C-c', 'C-d']) {
    const home = temporaryFolder(t);
    const terminal = openTerminal(t, command('init'), bareEnvironment(home), home);
    if (terminal === null) return;
    await terminal.shows(/Title \[/);
    terminal.type(key);
    assert.match(await terminal.shows(/EXIT=\d+/), /Interrupted\.[\s\S]*EXIT=130/, key);
    assert.ok(!existsSync(join(home, 'svc.json')));
  }
});

test('svc init reports a build that does not exist', async (t) => {
  const home = temporaryFolder(t);
  const { code, stderr } = await runSvc(t, ['init', '--yes', '--build', 'out'], { cwd: home });
  assert.equal(code, 0);
  assert.match(stderr, /out does not exist yet\. Next: build the game/);
});

test('svc uses colour on a terminal, except with NO_COLOR or on a dumb one', async (t) => {
  const home = temporaryFolder(t);
  mkdirSync(join(home, 'dist'));
  writeFileSync(join(home, 'dist/index.html'), '<title>x</title>');
  const out = join(home, 'seen');
  const runs: [string, boolean][] = [
    ['', true],
    ['NO_COLOR=1 ', false],
    ['TERM=dumb ', false],
  ];
  for (const [prefix, coloured] of runs) {
    const script = `${prefix}script -qec "${command('check dist').replaceAll("'", '')}" ${out}`;
    const terminal = openTerminal(t, script, bareEnvironment(home), home);
    if (terminal === null) return;
    await terminal.shows(/EXIT=\d+/);
    const seen = readFileSync(out, 'utf8');
    assert.match(seen, /Safe to publish/);
    assert.equal(seen.includes('\x1b['), coloured, prefix);
  }
});
