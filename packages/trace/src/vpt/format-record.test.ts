// The text of written lines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHeader, formatRecord, roundMs } from './format-record.ts';

test('roundMs keeps three decimals and never returns −0', () => {
  const rows: readonly (readonly [number, number])[] = [
    [1.0004, 1],
    [1.0005, 1.001],
    [16.666_666, 16.667],
    [0.000_4, 0],
    [-0, 0],
    [-0.000_1, 0],
    [-1.2346, -1.235],
    [9_007_199_254_740, 9_007_199_254_740],
  ];
  for (const [ms, rounded] of rows) assert.equal(roundMs(ms), rounded, `${ms}`);
});

test('formatRecord writes the keys in their order, and times with three decimals', () => {
  const span = {
    type: 'span',
    name: 'a"é\n',
    t: 1.000_51,
    duration_ms: 0.123_456,
    more: [null],
  } as const;
  assert.equal(
    formatRecord(span),
    '{"type":"span","name":"a\\"é\\n","t":1.001,"duration_ms":0.123456,"more":[null]}\n',
  );
  assert.equal(span.t, 1.000_51, 'the record itself stays');
  const fields = { type: 'later', t: 2, x: { y: 1 } };
  assert.equal(
    formatRecord({ type: 'unknown', t: 2, fields }),
    '{"type":"later","t":2,"x":{"y":1}}\n',
  );
  const header = {
    vpt: 1,
    producer: { name: 'a', version: '1' },
    started_at: null,
    sources: ['import'],
  } as const;
  assert.equal(
    formatHeader(header),
    '{"vpt":1,"producer":{"name":"a","version":"1"},"started_at":null,"sources":["import"]}\n',
  );
});
