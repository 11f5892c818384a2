// The bytes of a recording at the limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteLog } from './byte-log.ts';

const batch = (from: number, bytes: number) => ({
  bytes: new Uint8Array(bytes),
  from,
  to: from + 5,
  records: 2,
});

test('ByteLog drops the oldest batches completely, and sums up what was dropped', () => {
  const log = new ByteLog(4_096 + 250);
  for (const at of [0, 10]) assert.equal(log.append(batch(at, 100)), null);
  assert.deepEqual(log.append(batch(20, 100)), { from: 0, to: 5, records: 2, bytes: 100 });
  assert.deepEqual(log.append(batch(30, 200)), { from: 10, to: 25, records: 4, bytes: 200 });
  assert.deepEqual(log.dropped, { from: 0, to: 25, records: 6, bytes: 300 });
  assert.deepEqual(
    log.parts().map((part) => part.length),
    [200],
  );
  assert.equal(log.bytes, 200);
});

test('ByteLog keeps no part of a batch that is larger than the limit', () => {
  const log = new ByteLog(5_000);
  log.append(batch(0, 9_000));
  assert.equal(log.bytes, 0);
  assert.equal(log.fits(batch(0, 904)), true);
  assert.equal(log.fits(batch(0, 905)), false);
});

test('ByteLog.clear frees the lines, and still reports what was dropped', () => {
  const log = new ByteLog(4_096 + 100);
  log.append(batch(0, 100));
  log.append(batch(10, 100));
  log.clear();
  assert.deepEqual(log.parts(), []);
  assert.equal(log.dropped?.records, 2);
});

test('ByteLog reports the latest end of all dropped batches', () => {
  const log = new ByteLog(4_096 + 150);
  log.append({ ...batch(0, 100), to: 90 });
  log.append(batch(10, 100));
  log.append(batch(20, 150));
  assert.deepEqual(log.dropped, { from: 0, to: 90, records: 4, bytes: 200 });
  log.noteDropped(batch(200, 0));
  assert.deepEqual(log.dropped, { from: 0, to: 205, records: 6, bytes: 200 });
});
