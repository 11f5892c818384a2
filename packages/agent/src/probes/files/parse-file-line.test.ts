import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFileLine } from './parse-file-line.ts';

test('parseFileLine: an open has its thread, its file and the folder of its name', () => {
  assert.deepEqual(
    parseFileLine('open 7 1063369350681 5538 266338304 2204074 1956032367 100000 3 -100'),
    {
      line: 'open',
      tid: 7,
      startNs: 1_063_369_350_681,
      tookNs: 5538,
      key: '266338304:2204074',
      generation: '1956032367',
      bytes: 100_000,
      fd: 3,
      folderFd: -100,
    },
  );
});

test('parseFileLine: a name is everything after the time, spaces included', () => {
  assert.deepEqual(parseFileLine('name 7 12 art/my rock .png'), {
    line: 'name',
    tid: 7,
    startNs: 12,
    name: 'art/my rock .png',
  });
});

test('parseFileLine reads a run with the spacing of every bpftrace version', () => {
  const run = {
    line: 'read',
    tid: 7,
    startNs: 100,
    endNs: 900,
    tookNs: 50,
    amount: 4096,
    count: 2,
    key: '26:18446744073709551615',
    bytes: 9000,
  };
  const entry = '100, 900, 50, 4096, 2, 26, 18446744073709551615, 9000';
  assert.deepEqual(parseFileLine(`@read[7, 3]: (${entry})`), run);
  assert.deepEqual(parseFileLine(`@read[7,3]: (${entry.replaceAll(', ', ',')})`), run);
});

test('parseFileLine: lines about pages have no file size', () => {
  const reported = parseFileLine('@fault[7, 3]: (100, 900, 0, 16, 1, 26, 99, 15)');
  assert.deepEqual(reported, {
    line: 'fault',
    tid: 7,
    startNs: 100,
    endNs: 900,
    tookNs: 0,
    amount: 16,
    count: 1,
    key: '26:99',
    bytes: 0,
  });
});

test('parseFileLine returns null for a line with another form', () => {
  const broken = [
    '',
    'open',
    'open 7 1 2 3',
    'open 7 1 2 3 4 5 6 7 8 9',
    'open 7 1 2 3 4 5 x 7 8',
    'map 7 1 2 3 4 5 6 7 8',
    'name 7 12 ',
    'name -1 12 a',
    '@read[7, 3]: (1, 2, 3)',
    '@read[7, 3]: (1, 2, 3, 4, 5, 6, 7, -8)',
    '@other[7, 3]: (1, 2, 3, 4, 5, 6, 7, 8)',
    `@read[7, 3]: (1, 2, 3, 4, 5, 6, 7, ${'9'.repeat(30)})`,
    '@in[7]: (1, 2, 3, 4)',
  ];
  for (const text of broken) assert.equal(parseFileLine(text), null, text);
});
