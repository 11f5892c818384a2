// `svc init`: the file that it writes from guesses and options, and rejected values.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { runHere } from '../../../test/run-here.ts';
import { temporaryFolder } from '../../../test/svc.ts';

test('svc init prefers options to guesses, asks nothing without a terminal, and prints the next step', async (t) => {
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'web'));
  writeFileSync(join(cwd, 'web/index.html'), '<title>Space Cats</title>');
  const guessed = await runHere(t, ['init', '--json'], { cwd });
  assert.equal(guessed.code, 0, guessed.stderr);
  const project = { title: 'Space Cats', engine: 'html5', build: 'web' };
  assert.deepEqual(JSON.parse(guessed.stdout), { path: 'svc.json', project });
  assert.match(guessed.stderr, /^Next: run svc check to check the build, and/);
  const again = await runHere(t, ['init', '--yes'], { cwd });
  assert.equal(again.code, 6);
  assert.match(again.stderr, /svc\.json exists already/);
  assert.deepEqual(JSON.parse(readFileSync(join(cwd, 'svc.json'), 'utf8')), project);
  const other = temporaryFolder(t);
  const options = [
    '--title',
    ' My Title ',
    '--slug',
    'my-slug',
    '--engine',
    'godot',
    '--build',
    'out',
  ];
  await runHere(t, ['init', '-y', ...options], { cwd: other });
  assert.deepEqual(JSON.parse(readFileSync(join(other, 'svc.json'), 'utf8')), {
    ...{ title: 'My Title', slug: 'my-slug', engine: 'godot', build: 'out' },
  });
});

test('svc init reports a missing build, and says that it must be named', async (t) => {
  const cwd = temporaryFolder(t);
  const { code, stdout, stderr } = await runHere(t, ['init', '--yes', '--title', 'Cats'], { cwd });
  assert.equal(code, 0);
  assert.match(stdout, /build +\(not found; build the game/);
  assert.match(
    stderr,
    /^Next: build the game, name the build folder in svc\.json, and run svc check\.$/m,
  );
  const written = JSON.parse(readFileSync(join(cwd, 'svc.json'), 'utf8'));
  assert.deepEqual(written, { title: 'Cats', engine: 'html5' });
});

test('svc init accepts the titles and slugs that a platform accepts, and rejects others', async (t) => {
  const init = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await runHere(t, ['init', '--yes', '--title', 'Cats', ...args]);
    return code === 0 ? '' : `${code} ${stderr}`;
  };
  const title = async (text: string): Promise<string> => {
    const { code, stderr } = await runHere(t, ['init', '--yes', '--title', text]);
    return code === 0 ? '' : `${code} ${stderr}`;
  };
  for (const text of ['x', 'x'.repeat(80), '🚀'.repeat(80)]) assert.equal(await title(text), '');
  for (const text of ['', ' ', 'x'.repeat(81)]) {
    assert.match(await title(text), /^2 .*A title has 1 to 80 characters\./, text);
  }
  const long = 'a'.repeat(100);
  const [, least = 0, most = 0] =
    / (\d+) to (\d+) characters/.exec(await init('--slug', '-')) ?? [];
  assert.ok(Number(least) > 1 && Number(most) < 100);
  for (const length of [Number(least), Number(most)]) {
    assert.equal(await init('--slug', long.slice(0, length)), '');
  }
  for (const slug of [
    ...[long.slice(0, Number(least) - 1), long.slice(0, Number(most) + 1)],
    ...['Cats', 'a--b', '-abc', 'abc-', 'a_bc', 'äbc'],
  ]) {
    assert.match(await init(`--slug=${slug}`), /^2 .*A slug has /, slug);
  }
});

test('svc init on a terminal rejects a typed title that is not valid, and asks nothing with --yes or --json', {
  timeout: 60_000,
}, async (t) => {
  const answered = async (typed: string, ...args: string[]) => {
    const cwd = temporaryFolder(t);
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    // Without typed input, a question would end the command.
    if (typed === '') stdin.end();
    else stdin.write(typed);
    t.after(() => stdin.destroy());
    return await runHere(t, ['init', ...args], { cwd, io: { stdin } });
  };
  const refused = await answered(`${'x'.repeat(81)}\n`);
  assert.equal(refused.code, 7);
  assert.match(refused.stderr, /svc: A title has 1 to 80 characters\./);
  for (const args of [['--yes'], ['--json']]) {
    const { code, stderr } = await answered('', ...args);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /Title \[/);
  }
});
