// `svc trace note` while something else goes wrong: the file is the old one or the new one, and nothing else is left.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { holdRecording } from '@svc/agent/hold-recording';
import { readVpt } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { until } from '../../../scripts/until.ts';
import { asStranger } from './as-stranger.ts';
import { type HereOptions, runHere } from './run-here.ts';
import { finish, SVC, startSvc, temporaryFolder } from './svc.ts';

const GAME = traceFromText(`browser
  0 frames 10*50 80 10*50 40 10
  2000 end off
`);

function folderWith(t: TestContext, name: string, text: string = GAME): string {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, name), text);
  return cwd;
}

const note = (t: TestContext, cwd: string, options: HereOptions = {}, ...args: string[]) =>
  runHere(t, ['trace', 'note', 'a.vpt', 'x', '--at', '1', ...args], { cwd, ...options });

/** Replaces a method of open files. `work` is called before it, and may throw. */
async function beforeEach(
  t: TestContext,
  name: 'sync' | 'writeFile',
  work: () => void,
): Promise<void> {
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const real = prototype[name];
  t.mock.method(prototype, name, async function (this: unknown, ...args: unknown[]) {
    work();
    return await real.apply(this, args);
  });
}

test('a file that another program changes meanwhile is not replaced', async (t) => {
  const cwd = folderWith(t, 'a.vpt');
  const path = join(cwd, 'a.vpt');
  const other = join(cwd, 'b.vpt');
  let change: () => void = () => {};
  await beforeEach(t, 'sync', () => change());
  for (const [what, changes, left] of [
    ['longer', () => appendFileSync(path, '\0'), `${GAME}\0`],
    ['touched', () => utimesSync(path, 1_700_000_000, 1_700_000_000), GAME],
    ['replaced', () => renameSync(other, path), 'another file'],
    ['gone', () => renameSync(path, other), null],
  ] as const) {
    writeFileSync(path, GAME);
    writeFileSync(other, 'another file');
    change = changes;
    const { code, stderr } = await note(t, cwd);
    assert.equal(code, 1, what);
    assert.match(
      stderr,
      /^svc: "a\.vpt" changed while svc read it, so the note was not written\.\nRun the command again\.\n$/,
    );
    const names = readdirSync(cwd).filter((name) => name !== 'b.vpt');
    assert.deepEqual(names, left === null ? [] : ['a.vpt'], what);
    if (left !== null) assert.equal(readFileSync(path, 'utf8'), left, what);
  }
});

test('a copy is not written if the trace changes meanwhile', async (t) => {
  const cwd = folderWith(t, 'a.vpt');
  await beforeEach(t, 'writeFile', () => appendFileSync(join(cwd, 'a.vpt'), '\0'));
  const { code, stderr } = await note(t, cwd, {}, '-o', 'b.vpt');
  assert.equal(code, 1);
  assert.match(stderr, /"a\.vpt" changed while svc read it/);
  assert.deepEqual(readdirSync(cwd), ['a.vpt']);
});

test('a full disk and an interruption leave the file as it is, and nothing beside it', async (t) => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EIO']) {
    await t.test(code, async (inner) => {
      const cwd = folderWith(inner, 'a.vpt');
      await beforeEach(inner, 'sync', () => {
        throw Object.assign(new Error(code), { code });
      });
      const { code: exit, stderr } = await note(inner, cwd);
      assert.equal(exit, 1);
      assert.match(stderr, /^svc: Cannot write ".*a\.vpt": /);
      assert.equal(readFileSync(join(cwd, 'a.vpt'), 'utf8'), GAME);
      assert.deepEqual(readdirSync(cwd), ['a.vpt']);
    });
  }
  await t.test('SIGINT', async (inner) => {
    const cwd = folderWith(inner, 'a.vpt');
    const listeners = new Set<(signal: NodeJS.Signals) => void>();
    const raised: string[] = [];
    await beforeEach(inner, 'sync', () => {
      assert.equal(readdirSync(cwd).length, 2);
      for (const listener of listeners) listener('SIGINT');
      assert.deepEqual(readdirSync(cwd), ['a.vpt']);
    });
    const { code } = await note(inner, cwd, {
      io: {
        onSignal: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        raise: (signal) => raised.push(signal),
      },
    });
    assert.equal(code, 1);
    assert.deepEqual(raised, ['SIGINT']);
    assert.equal(readFileSync(join(cwd, 'a.vpt'), 'utf8'), GAME);
  });
});

test('SIGKILL while a large trace is written leaves the whole old or the whole new trace', async (t) => {
  const [header = ''] = GAME.split('\n');
  const log = { type: 'log', t: 1, level: 'info', text: 'x'.repeat(60_000) };
  const line = `${JSON.stringify(log)}\n`;
  const text = `${header}\n${line.repeat(1500)}{"type":"end","t":2,"reason":"off"}\n`;
  const cwd = folderWith(t, 'a.vpt', text);
  const child = startSvc(t, ['trace', 'note', 'a.vpt', 'x', '--at', '0'], { cwd });
  const ended = finish(child);
  await until(
    () => child.exitCode !== null || readdirSync(cwd).length > 1,
    (begun) => begun,
    'the rewrite has begun',
  );
  child.kill('SIGKILL');
  await ended;
  const left = readFileSync(join(cwd, 'a.vpt'), 'utf8');
  if (left === text) return;
  assert.equal(left.replace(/\{"type":"note"[^\n]*\n/, ''), text);
  assert.equal(readVpt(left).end?.reason, 'off');
});

test('a recording that has not ended is refused, and so is a file that a dashboard holds', async (t) => {
  const cwd = folderWith(t, 'a.vpt');
  writeFileSync(join(cwd, 'b.vpt.partial'), GAME);
  const args = ['trace', 'note', 'b.vpt.partial', 'x', '--at', '1'];
  const { code, stderr } = await runHere(t, args, { cwd });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /"b\.vpt\.partial" is the file of a recording that has not ended\.\nAdd the note in the dashboard/,
  );
  assert.equal(readFileSync(join(cwd, 'b.vpt.partial'), 'utf8'), GAME);
  const copied = await runHere(t, [...args, '-o', 'c.vpt'], { cwd });
  assert.equal(copied.code, 0, copied.stderr);

  if (process.platform !== 'linux') return;
  const hold = await holdRecording(join(cwd, 'a.vpt'));
  const held = await note(t, cwd);
  assert.equal(held.code, 1);
  assert.match(
    held.stderr,
    /^svc: "a\.vpt" is in use: a dashboard records it, or another svc trace note/,
  );
  await hold[Symbol.asyncDispose]();
  assert.equal((await note(t, cwd)).code, 0);
});

test('several commands at once on a file lose no note: each writes its note or fails', async (t) => {
  const cwd = folderWith(t, 'a.vpt');
  const runs = Array.from({ length: 5 }, (_, at) =>
    finish(startSvc(t, ['trace', 'note', 'a.vpt', `note ${at}`, '--at', '1'], { cwd })),
  );
  const done = await Promise.all(runs);
  const { stdout } = await runHere(t, ['trace', 'note', 'a.vpt', '--json'], { cwd });
  const texts = JSON.parse(stdout).notes.map(({ text }: { text: string }) => text);
  const written = done.flatMap(({ code }, at) => (code === 0 ? [`note ${at}`] : []));
  assert.deepEqual(texts.toSorted(), written);
  assert.ok(written.length > 0);
  for (const { code, stderr } of done) {
    if (code !== 0) assert.match(stderr, /"a\.vpt" (?:is in use|changed while svc read it)/);
  }
  assert.deepEqual(readdirSync(cwd), ['a.vpt']);
});

test('a folder that may not be written to is named, and the trace stays', (t) => {
  const stranger = asStranger();
  if ('skip' in stranger) {
    t.skip(stranger.skip);
    return;
  }
  const cwd = folderWith(t, 'a.vpt');
  chmodSync(cwd, 0o755);
  chmodSync(join(cwd, 'a.vpt'), 0o666);
  const args = [
    ...stranger.args,
    process.execPath,
    SVC,
    'trace',
    'note',
    'a.vpt',
    'x',
    '--at',
    '1',
  ];
  const { status, stderr } = spawnSync('setpriv', args, { cwd, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /^svc: Cannot write ".*a\.vpt": you are not allowed to write there\.\n$/);
  assert.equal(readFileSync(join(cwd, 'a.vpt'), 'utf8'), GAME);
  assert.deepEqual(readdirSync(cwd), ['a.vpt']);
});

/** A trace of several megabytes, more than a pipe holds. */
function largeTrace(): string {
  const [header = ''] = GAME.split('\n');
  const log = { type: 'log', t: 1, level: 'info', text: 'x'.repeat(60_000) };
  return `${header}\n${`${JSON.stringify(log)}\n`.repeat(100)}`;
}

test('a pipe that its reader closes ends a command whose output is a trace with 0', async (t) => {
  const cwd = folderWith(t, 'a.vpt');
  writeFileSync(join(cwd, 'large.vpt'), largeTrace());
  for (const args of [
    ['note', 'a.vpt', 'x', '--at', '0', '-o', '-'],
    ['note', 'large.vpt', 'x', '--at', '0', '-o', '-'],
    ['convert', 'large.vpt', '-o', '-'],
  ]) {
    const child = startSvc(t, ['trace', ...args], { cwd });
    const errors = { text: '' };
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      errors.text += text;
    });
    if (args[1] === 'a.vpt') child.stdout?.destroy();
    else child.stdout?.once('data', () => child.stdout?.destroy());
    const [code] = await once(child, 'exit');
    assert.equal(code, 0, `${args.join(' ')}: ${errors.text}`);
    assert.doesNotMatch(errors.text, /svc:|await/);
  }
});

test('a full standard output is an error, and a note that was written is reported', async (t) => {
  if (!existsSync('/dev/full')) {
    t.skip('kernel: there is no /dev/full');
    return;
  }
  const cwd = folderWith(t, 'a.vpt');
  writeFileSync(join(cwd, 'large.vpt'), largeTrace());
  const full = openSync('/dev/full', 'w');
  t.after(() => closeSync(full));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [SVC, 'trace', ...args], {
      ...{ cwd, encoding: 'utf8', stdio: ['ignore', full, 'pipe'] },
    });
  for (const args of [
    ['note', 'a.vpt', 'x', '--at', '0', '-o', '-'],
    ['note', 'large.vpt', 'x', '--at', '0', '-o', '-'],
    ['convert', 'large.vpt', '-o', '-'],
  ]) {
    const { status, stderr } = run(...args);
    assert.equal(stderr, 'svc: Cannot write standard output: the disk is full.\n', args.join(' '));
    assert.equal(status, 1);
  }
  assert.equal(readFileSync(join(cwd, 'a.vpt'), 'utf8'), GAME);
  const { status, stderr } = run('note', 'a.vpt', 'x', '--at', '0');
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^Added the note [0-9a-f]{8} at 0\.000 s\.\nsvc: Cannot write standard output: the disk is full\.\n$/,
  );
  assert.match(readFileSync(join(cwd, 'a.vpt'), 'utf8'), /"text":"x"/);
});

test('a copy of a trace has no more permissions than the trace, and a link to a file stays', async (t) => {
  const cwd = folderWith(t, 'a.vpt');
  const mask = process.umask(0o022);
  t.after(() => process.umask(mask));
  for (const [mode, expected] of [
    [0o600, 0o600],
    [0o640, 0o640],
    [0o666, 0o644],
    [0o755, 0o644],
  ] as const) {
    chmodSync(join(cwd, 'a.vpt'), mode);
    const { code, stderr } = await note(t, cwd, {}, '-o', `${mode}.vpt`);
    assert.equal(code, 0, stderr);
    assert.equal(statSync(join(cwd, `${mode}.vpt`)).mode & 0o777, expected);
  }
  mkdirSync(join(cwd, 'links'));
  writeFileSync(join(cwd, 'old.vpt'), 'old');
  for (const name of ['old.vpt', 'new.vpt']) {
    const link = join(cwd, 'links', name);
    symlinkSync(`../${name}`, link);
    const { code, stderr } = await note(t, cwd, {}, '-o', link);
    assert.equal(code, 0, stderr);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.match(readFileSync(join(cwd, name), 'utf8'), /"text":"x"/);
  }
  assert.deepEqual(readdirSync(join(cwd, 'links')), ['new.vpt', 'old.vpt']);
});

test('another user cannot replace a protected file, and gives no permission to a group of their own', async (t) => {
  const stranger = asStranger();
  if ('skip' in stranger) {
    t.skip(stranger.skip);
    return;
  }
  const cwd = folderWith(t, 'a.vpt');
  const path = join(cwd, 'a.vpt');
  chmodSync(cwd, 0o777);
  const run = () => {
    const args = [process.execPath, SVC, 'trace', 'note', 'a.vpt', 'x', '--at', '1'];
    return spawnSync('setpriv', [...stranger.args, ...args], { cwd, encoding: 'utf8' });
  };
  chmodSync(path, 0o644);
  const refused = run();
  assert.equal(refused.status, 1);
  assert.equal(
    refused.stderr,
    'svc: Cannot write "a.vpt": you are not allowed to write it.\nWrite a copy with -o OUT.\n',
  );
  assert.equal(readFileSync(path, 'utf8'), GAME);
  chmodSync(path, 0o666);
  const { status, stderr } = run();
  assert.equal(status, 0, stderr);
  const { mode, uid, gid } = statSync(path);
  assert.deepEqual([mode & 0o777, uid, gid], [0o606, 65_534, 65_534]);
});
