import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RangeStream } from './range-stream.ts';
import { readRange, SharedFile } from './shared-file.ts';

/** An open file with that text, and the number of its closes. */
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

test('SharedFile is closed when its owner has released it and the last reader is done', async (t) => {
  const { file, closed } = await shared(t);
  const [one, two] = [file.lease(), file.lease()];
  assert.ok(one !== null && two !== null);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  await file.release();
  assert.equal(closed.times, 0, 'a reader is left');
  assert.equal(file.lease(), null, 'no new reader after release');
  two[Symbol.dispose]();
  assert.equal(closed.times, 1);
});

test('SharedFile without a reader is closed on release, not before', async (t) => {
  const { file, closed } = await shared(t);
  file.lease()?.[Symbol.dispose]();
  assert.equal(closed.times, 0);
  await file.release();
  assert.equal(closed.times, 1);
});

test('RangeStream streams the range in chunks, without the end, and then returns the lease', async (t) => {
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

test('RangeStream inserts bytes at their place, in every range', async (t) => {
  const text = 'a'.repeat(300_000) + 'b'.repeat(300_000);
  const { file } = await shared(t, text);
  for (const inserted of ['<notes>', 'n'.repeat(600_000)]) {
    for (const at of [0, 300_000, text.length]) {
      const insertion = { at, bytes: Buffer.from(inserted) };
      const whole = text.slice(0, at) + inserted + text.slice(at);
      const ends = [whole.length, at, at + 1, at + inserted.length];
      for (const start of [0, at, at + 3, at + inserted.length, whole.length]) {
        for (const end of ends.filter((one) => one >= start)) {
          const lease = file.lease();
          assert.ok(lease !== null);
          const chunks = await new RangeStream(lease, start, end, insertion).toArray();
          const streamed = Buffer.concat(chunks).toString();
          assert.equal(streamed === whole.slice(start, end), true, `${at}: ${start}-${end}`);
        }
      }
    }
  }
  await file.release();
});

test('readRange returns exactly the range, and rejects if the file is shorter', async (t) => {
  const { file } = await shared(t, 'some text');
  {
    using lease = file.lease();
    assert.ok(lease !== null);
    assert.equal(String(await readRange(lease, 5, 9)), 'text');
    assert.equal(String(await readRange(lease, 9, 9)), '');
    await assert.rejects(readRange(lease, 5, 10), /shorter than it was/);
  }
  await file.release();
});

test('RangeStream: a file that is too short is an error, and an abandoned stream returns its lease', async (t) => {
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
