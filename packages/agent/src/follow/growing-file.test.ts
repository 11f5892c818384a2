// A file that another program writes: it appears, grows, is cut, written again, replaced and deleted.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { GrowingFile, readStart } from './growing-file.ts';

function growing(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-growing-'));
  const path = join(folder, 'game.vpt');
  const file = new GrowingFile(path);
  t.after(async () => {
    await file.close();
    rmSync(folder, { recursive: true, force: true });
  });
  /** The next step as text: `+` begins a file. */
  const next = async (): Promise<string> => {
    const step = await file.next();
    if (step.is === 'end') return step.reason === null ? 'end' : `end: ${step.reason}`;
    if (step.is === 'missing') return `missing: ${step.reason}`;
    return `${step.isNew ? '+' : ''}${Buffer.from(step.bytes)}`;
  };
  return { folder, path, file, next };
}

test('a file is read as it appears and grows', async (t) => {
  const { path, next } = growing(t);
  assert.equal(await next(), 'missing: does not exist yet');
  writeFileSync(path, '');
  assert.equal(await next(), 'end');
  appendFileSync(path, 'one\n');
  assert.equal(await next(), '+one\n');
  assert.equal(await next(), 'end');
  appendFileSync(path, 'tw');
  assert.equal(await next(), 'tw');
  appendFileSync(path, 'o\n');
  assert.equal(await next(), 'o\n');
  unlinkSync(path);
  assert.equal(await next(), 'end: was deleted');
});

test('a file that was made larger in advance is read up to its first zero', async (t) => {
  const { path, file, next } = growing(t);
  const zeros = '\0'.repeat(300_000);
  writeFileSync(path, zeros);
  assert.equal(await next(), 'end');
  assert.deepEqual(file.progress, { part: 1, restBytes: 0 });
  writeFileSync(path, `one\ntw${zeros}`);
  assert.equal(await next(), '+one\ntw');
  assert.equal(await next(), 'end');
  writeFileSync(path, `one\ntwo\n${zeros}`);
  assert.equal(await next(), 'o\n');
  assert.equal(await next(), 'end');
});

test('a file that is written again begins anew, also if it is longer than before', async (t) => {
  const { path, next } = growing(t);
  writeFileSync(path, 'first run\n');
  assert.equal(await next(), '+first run\n');
  writeFileSync(path, 'second\n');
  assert.equal(await next(), '+second\n');
  writeFileSync(path, 'the third run is longer\n');
  assert.equal(await next(), '+the third run is longer\n');
  truncateSync(path);
  assert.equal(await next(), 'end');
  appendFileSync(path, 'fourth\n');
  assert.equal(await next(), '+fourth\n');
});

test('a file that is replaced is read to its end, and then the other one from its start', async (t) => {
  const { folder, path, next } = growing(t);
  writeFileSync(path, 'old\n');
  assert.equal(await next(), '+old\n');
  appendFileSync(path, 'its last line\n');
  writeFileSync(join(folder, 'other'), 'new\n');
  renameSync(join(folder, 'other'), path);
  assert.equal(await next(), 'its last line\n');
  assert.equal(await next(), '+new\n');
  assert.equal(await next(), 'end');
});

test('a deleted file is read on, until another one has its path', async (t) => {
  const { path, next } = growing(t);
  writeFileSync(path, 'old\n');
  assert.equal(await next(), '+old\n');
  unlinkSync(path);
  assert.equal(await next(), 'end: was deleted');
  writeFileSync(path, 'new\n');
  assert.equal(await next(), '+new\n');
});

test('a large file is read in steps, and a part of it can be skipped', async (t) => {
  const { path, file, next } = growing(t);
  writeFileSync(path, 'x'.repeat(600_000));
  assert.equal((await next()).length, 262_145);
  assert.deepEqual(file.progress, { part: 262_144 / 600_000, restBytes: 337_856 });
  assert.equal((await next()).length, 262_144);
  await file.skip();
  assert.equal(await next(), 'end');
  appendFileSync(path, 'more');
  assert.equal(await next(), 'more');
});

test('what is no file is named, and never opened', async (t) => {
  const { folder, path, next } = growing(t);
  mkdirSync(path);
  assert.equal(await next(), 'missing: is not a regular file');
  rmSync(path, { recursive: true });
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [path]);
    // Opening a FIFO would wait for its writer.
    assert.equal(await next(), 'missing: is not a regular file');
    unlinkSync(path);
    symlinkSync(path, path);
    assert.equal(await next(), 'missing: is a loop of links');
    unlinkSync(path);
    writeFileSync(join(folder, 'real.vpt'), 'linked\n');
    symlinkSync('real.vpt', path);
    assert.equal(await next(), '+linked\n');
  }
});

test('readStart: the first kilobyte of a file, and nothing of what is no file', (t) => {
  const { folder, path } = growing(t);
  assert.equal(readStart(path).length, 0);
  assert.equal(readStart(folder).length, 0);
  writeFileSync(path, 'x'.repeat(2000));
  assert.equal(readStart(path).toString(), 'x'.repeat(1024));
  writeFileSync(path, 'header\nmore\0\0');
  assert.equal(readStart(path).toString(), 'header\nmore');
  writeFileSync(path, 'a part of a header');
  assert.equal(readStart(path).length, 0);
});
