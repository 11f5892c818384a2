// The limit of the names in a table, whose offsets have 32 bits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameTable } from './frame-table.ts';

test('FrameTable accepts 2 GiB − 1 bytes of names and rejects more with `too_large`', () => {
  const table = new FrameTable();
  const none = new Uint8Array(0);
  const tooLarge = { name: 'TraceError', code: 'too_large', message: /2147483647 bytes of names/ };
  assert.throws(() => table.intern(none, 0, 2 ** 31, 1), tooLarge);
  // The memory is reserved, but its pages are never touched.
  assert.equal(table.intern(none, 0, 2 ** 31 - 1, 2), 0);
  assert.throws(() => table.internText('x'), tooLarge);
  assert.equal(table.length, 1);
});
