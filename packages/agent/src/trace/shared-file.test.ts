import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RangeStream } from './range-stream.ts';
import { SharedFile } from './shared-file.ts';

/** An open file of that text, and how often it was closed. */
async function shared(t: TestContext, text = 'text') {
  const folder = mkdtempSync(join(tmpdir(), 'svc-shared-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'file');
  writeFileSync(path, text);
  const handle: FileHandle = await open(path, 'r');
  const closed = { times: 0 };
  const file = new SharedFile(handle, async () => {
    closed.times++;
    await handle.close();
  });
  return { file, closed };
}

test('SharedFile: it is closed when its owner has let go and the last reader is done', async (t) => {
  const { file, closed } = await shared(t);
  const [one, two] = [file.lease(), file.lease()];
  assert.ok(one !== null && two !== null);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  await file.release();
  assert.equal(closed.times, 0, 'somebody still reads');
  assert.equal(file.lease(), null, 'nobody else begins to');
  two[Symbol.dispose]();
  assert.equal(closed.times, 1);
});

test('SharedFile: without a reader it is closed once its owner lets go, not before', async (t) => {
  const { file, closed } = await shared(t);
  file.lease()?.[Symbol.dispose]();
  assert.equal(closed.times, 0);
  await file.release();
  assert.equal(closed.times, 1);
});

test('RangeStream: the bytes from the first to the one before the last, in pieces; then the lease is given back', async (t) => {
  const text = Array.from({ length: 60_000 }, (_, line) => `line ${line}\n`).join('');
  const { file, closed } = await shared(t, text);
  for (const [start, end] of [
    [0, text.length],
    [300_001, 600_007],
    [5, 5],
  ] as const) {
    const lease = file.lease();
    assert.ok(lease !== null);
    const chunks: Buffer[] = [];
    for await (const chunk of new RangeStream(lease, start, end)) chunks.push(chunk);
    assert.equal(Buffer.concat(chunks).toString() === text.slice(start, end), true);
  }
  await file.release();
  assert.equal(closed.times, 1, 'no lease is left');
});

test('RangeStream: a file that is shorter than was said is an error, and an abandoned stream gives its lease back', async (t) => {
  const { file, closed } = await shared(t);
  const lease = file.lease();
  assert.ok(lease !== null);
  await assert.rejects(new RangeStream(lease, 0, 10).toArray(), /shorter than it was/);
  const other = file.lease();
  assert.ok(other !== null);
  const stream = new RangeStream(other, 0, 4);
  stream.read(0);
  await file.release();
  stream.destroy();
  assert.equal(closed.times, 0, 'a reading is under way');
  await new Promise((resolve) => stream.once('close', resolve));
  assert.equal(closed.times, 1);
});
