// `svc play` as a process: its output, what it serves, its end, and what remains after a kill.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { packToFile } from '@svc/game-build';
import { Check } from 'typebox/value';
import { until } from '../../../scripts/until.ts';
import { DOCUMENTS, type Documents } from '../src/documents.ts';
import { bareEnvironment, runSvc, SVC, startSvc, temporaryFolder } from './svc.ts';
import { openTerminal } from './terminal.ts';

type PlayEvent = Documents['play'];

/** A folder with a game in `dist`, and an empty folder for temporary files. */
function gameFolder(t: TestContext): { cwd: string; tmp: string } {
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist/audio'), { recursive: true });
  writeFileSync(join(cwd, 'dist/index.html'), '<!doctype html><title>Goats</title>');
  writeFileSync(join(cwd, 'dist/audio/a b.ogg'), 'OggS');
  const tmp = join(cwd, 'tmp');
  mkdirSync(tmp);
  return { cwd, tmp };
}

/** What svc has left in the folder for temporary files. */
function leftBehind(tmp: string): string[] {
  return readdirSync(tmp);
}

async function startPlay(t: TestContext, args: readonly string[]) {
  const { cwd, tmp } = gameFolder(t);
  const child = startSvc(t, ['play', '--json', ...args], { cwd, env: { TMPDIR: tmp } });
  const events: PlayEvent[] = [];
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  createInterface(child.stdout ?? assert.fail()).on('line', (line) => {
    const event: unknown = JSON.parse(line);
    assert.ok(Check(DOCUMENTS.play, event), line);
    events.push(event);
  });
  await until(
    () => events.length,
    (count) => count > 0,
    'the preview has started',
  );
  const [first] = events;
  assert.ok(first?.event === 'listening');
  return { child, events, exited, listening: first, cwd, tmp };
}

test('svc play --json prints the address first, then each missing file once, and the end', async (t) => {
  const { child, events, exited, listening, tmp } = await startPlay(t, ['dist']);
  assert.deepEqual(
    [listening.path, listening.file_count, listening.isolation, listening.findings],
    ['dist', 2, 'credentialless', []],
  );
  const sound = await fetch(new URL('audio/a%20b.ogg', listening.url));
  assert.deepEqual(
    [sound.status, sound.headers.get('content-type'), await sound.text()],
    [200, 'audio/ogg', 'OggS'],
  );
  assert.equal(sound.headers.get('cross-origin-embedder-policy'), 'credentialless');
  for (const path of ['b.png', 'b.png', 'c/d.js?e']) await fetch(new URL(path, listening.url));
  assert.deepEqual(leftBehind(tmp), []);
  assert.ok(child.kill('SIGINT'));
  assert.equal(await exited, 0);
  assert.deepEqual(events.slice(1), [
    { event: 'missing', path: 'b.png' },
    { event: 'missing', path: 'c/d.js' },
    { event: 'ended' },
  ]);
  await assert.rejects(fetch(listening.url));
});

test('svc play --profiling allows pages to measure their functions', async (t) => {
  for (const [args, expected] of [
    [['dist'], null],
    [['dist', '--profiling'], 'js-profiling'],
  ] as const) {
    const { child, exited, listening } = await startPlay(t, args);
    const page = await fetch(listening.url);
    assert.equal(page.headers.get('document-policy'), expected);
    const sound = await fetch(new URL('audio/a%20b.ogg', listening.url));
    assert.equal(sound.headers.get('document-policy'), null);
    assert.ok(child.kill('SIGINT'));
    assert.equal(await exited, 0);
  }
});

test('svc play serves a ZIP, and what it contained at the start', async (t) => {
  const { cwd } = gameFolder(t);
  const zip = join(cwd, 'game.zip');
  await packToFile(join(cwd, 'dist'), zip);
  const { child, exited, listening } = await startPlay(t, [zip]);
  writeFileSync(zip, 'torn');
  assert.match(await (await fetch(listening.url)).text(), /Goats/);
  assert.ok(child.kill('SIGTERM'));
  assert.equal(await exited, 0);
});

test('svc play leaves no file behind when it is killed', async (t) => {
  const { child, exited, listening, tmp } = await startPlay(t, ['dist']);
  assert.equal((await fetch(listening.url)).status, 200);
  assert.ok(child.kill('SIGKILL'));
  await exited;
  assert.deepEqual(leftBehind(tmp), []);
});

test('svc play explains what it cannot serve', async (t) => {
  const { cwd } = gameFolder(t);
  const server = createServer();
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(cwd, 'torn.zip'), 'PK');
  mkdirSync(join(cwd, 'empty'));
  const rows: [args: string[], code: number, text: RegExp][] = [
    [[], 2, /No build is named/],
    [['gone'], 7, /Cannot read the build "gone": it does not exist/],
    [['torn.zip'], 7, /The build "torn.zip" cannot be published/],
    [['empty'], 7, /index\.html/],
    [['dist', '--port', String(port)], 1, /port_busy|another program listens on this port/],
    [['dist', '--port', '70000'], 2, /port/],
    [['https://games.example/x', '--no-open'], 2, /only opens the browser/],
  ];
  for (const [args, code, text] of rows) {
    const ended = await runSvc(t, ['play', ...args], { cwd });
    assert.equal(ended.code, code, `${args}: ${ended.stderr}`);
    assert.match(ended.stderr, text);
  }
});

/** Whether this machine can mount a small file system for a single process. */
const canMount =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

test('svc play explains a full disk, while it packs and while it unpacks', {
  skip: canMount ? false : 'kernel: no user namespaces with mounts',
}, async (t) => {
  const { cwd, tmp } = gameFolder(t);
  writeFileSync(join(cwd, 'dist/noise.bin'), randomBytes(3_000_000));
  const zip = join(cwd, 'game.zip');
  await packToFile(join(cwd, 'dist'), zip);
  const home = temporaryFolder(t);
  for (const [build, what] of [
    ['dist', 'pack'],
    [zip, 'unpack'],
  ] as const) {
    const line = `mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" "$3" play "$4" --no-open`;
    const { status, stderr } = spawnSync(
      'unshare',
      ['-rm', 'sh', '-c', line, 'sh', tmp, process.execPath, SVC, build],
      {
        cwd,
        env: { ...bareEnvironment(home), TMPDIR: tmp },
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    assert.equal(status, 1, stderr);
    assert.ok(
      stderr.includes(
        `Cannot ${what} the build in the folder for temporary files, ${tmp}: its disk is full.`,
      ),
      stderr,
    );
  }
});

test('svc play opens the browser on a terminal, through a file that only its owner can read', async (t) => {
  const { cwd } = gameFolder(t);
  const home = temporaryFolder(t);
  const opened = join(home, 'opened');
  writeFileSync(join(home, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$1" >>${opened}\n`, {
    mode: 0o755,
  });
  const env = bareEnvironment(home);
  const terminal = openTerminal(
    t,
    `${process.execPath} ${SVC} play dist`,
    { ...env, PATH: `${home}:${env['PATH']}` },
    cwd,
  );
  if (terminal === null) return;
  const screen = await terminal.shows(/Stop +Ctrl-C/);
  const url = /http:\/\/127\.0\.0\.1:\d+\/play\/[0-9a-f]{20}\//.exec(screen)?.[0] ?? '';
  await until(
    () => existsSync(opened),
    (is) => is,
    'the browser is opened',
  );
  const page = await until(
    () => readFileSync(opened, 'utf8'),
    (text) => text.endsWith('\n'),
    'the path is written',
  );
  assert.ok(readFileSync(page.trim(), 'utf8').includes(`url=${url}`));
  await fetch(new URL('gone.png', url));
  await terminal.shows(/The game requested gone\.png, which the build does not have\./);
  terminal.type('C-c');
  await terminal.shows(/The preview has ended\.\s+EXIT=0/);
  assert.equal(existsSync(page.trim()), false);
});
