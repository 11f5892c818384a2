import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFrameLine } from './parse-frame-line.ts';

test('parseFrameLine: the thread, the number of the call, the time and the window', () => {
  const swap = {
    tid: 4194304,
    call: 12,
    ns: 15540848369342,
    window: '94388471590304, 2097154',
  };
  assert.deepEqual(
    parseFrameLine('@a[4194304, 12]: (15540848369342, 94388471590304, 2097154)'),
    swap,
  );
  assert.equal(parseFrameLine('@b[1, 1]: (1, -1, 0)')?.window, '-1, 0');
});

test('parseFrameLine: other lines, and hostile ones, are skipped', () => {
  for (const line of [
    '',
    '@calls[7]: 12',
    '@turn: 1',
    '@a[1, 1]: 1',
    '@a[1, 1]: (1, 0)',
    '@a[1, 1]: (1, 0, 0, 0)',
    '@a[1]: (1, 0, 0)',
    '@c[1, 1]: (1, 0, 0)',
    '@a[-1, 1]: (1, 0, 0)',
    '@a[1, 1]: (1e3, 0, 0)',
    '@a[1, 1]: (1, 0x0, 0)',
    ' @a[1, 1]: (1, 0, 0)',
    `@a[${'9'.repeat(11)}, 1]: (1, 0, 0)`,
    `@a[1, ${'9'.repeat(16)}]: (1, 0, 0)`,
    `@a[1, 1]: (${'9'.repeat(20)}, 0, 0)`,
  ]) {
    assert.equal(parseFrameLine(line), null, line);
  }
});
