import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnchanged, readCodings, readRange } from './conditions.ts';

test('readCodings reads weights, the star and rejected codings', () => {
  const cases: [header: string | undefined, br: number, gzip: number, identity?: number][] = [
    [undefined, 0, 0],
    ['', 0, 0],
    ['gzip, deflate, br, zstd', 1, 1],
    ['gzip;q=0.5, br;q=0', 0, 0.5],
    ['*', 1, 1],
    ['*;q=0.2, gzip;q=0', 0.2, 0],
    ['BR ; Q=0.3', 0.3, 0],
    ['x-gzip', 0, 1],
    ['identity', 0, 0, 1],
    ['identity;q=0.5, gzip;q=0.4', 0, 0.4, 0.5],
    ['br;q=nonsense', 0, 0],
    ['br;q=Infinity', 0, 0],
    ['br;level=5;q=0.5', 0.5, 0],
    ['gzip;q=0, *', 1, 0],
    ['brotli, zip', 0, 0],
  ];
  for (const [header, br, gzip, identity = 0] of cases)
    assert.deepEqual(readCodings(header), { br, gzip, identity }, header);
});

test('isUnchanged reads lists, weak tags and the star', () => {
  assert.equal(isUnchanged(undefined, '"a"'), false);
  assert.equal(isUnchanged('"b", "a"', '"a"'), true);
  assert.equal(isUnchanged('W/"a"', '"a"'), true);
  assert.equal(isUnchanged('*', '"a"'), true);
  assert.equal(isUnchanged('"a-br"', '"a"'), false);
  assert.equal(isUnchanged('a', '"a"'), false);
});

test('readRange reads one range; anything else means the whole file', () => {
  const part = (start: number, length: number) => ({ kind: 'part', start, length });
  const cases: [string, object][] = [
    ['bytes=0-0', part(0, 1)],
    ['bytes=0-', part(0, 100)],
    ['bytes=10-19', part(10, 10)],
    ['bytes=90-1000', part(90, 10)],
    ['bytes=-5', part(95, 5)],
    ['bytes=-500', part(0, 100)],
    ['bytes=99-', part(99, 1)],
    ['bytes=100-', { kind: 'outside' }],
    ['bytes=-0', { kind: 'outside' }],
    ['bytes=5-4', { kind: 'whole' }],
    ['bytes=0-1,3-4', { kind: 'whole' }],
    ['lines=0-1', { kind: 'whole' }],
    ['bytes=-', { kind: 'whole' }],
    ['bytes=a-b', { kind: 'whole' }],
    ['bytes=5-5', part(5, 1)],
    ['bytes=98-99', part(98, 2)],
    ['bytes=99-100', part(99, 1)],
    ['bytes=100-99', { kind: 'whole' }],
    ['bytes=-100', part(0, 100)],
    ['bytes=-1', part(99, 1)],
    [' BYTES= 1-2 ', part(1, 2)],
    ['xbytes=1-2', { kind: 'whole' }],
    ['bytes=1-2x', { kind: 'whole' }],
  ];
  for (const [range, expected] of cases) {
    assert.deepEqual(readRange(range, undefined, '"e"', 100), expected, range);
  }
});

test('readRange of an empty file is never a part', () => {
  for (const range of ['bytes=0-', 'bytes=-5', 'bytes=0-0']) {
    assert.deepEqual(readRange(range, undefined, '"e"', 0), { kind: 'outside' }, range);
  }
  assert.deepEqual(readRange(undefined, undefined, '"e"', 0), { kind: 'whole' });
});

test('readRange evaluates If-Range with the strong comparison', () => {
  assert.equal(readRange('bytes=0-1', '"e"', '"e"', 9).kind, 'part');
  assert.equal(readRange('bytes=0-1', 'W/"e"', '"e"', 9).kind, 'whole');
  assert.equal(readRange('bytes=0-1', '"other"', '"e"', 9).kind, 'whole');
  assert.equal(readRange('bytes=0-1', 'Sat, 21 Nov 2026 00:00:00 GMT', '"e"', 9).kind, 'whole');
});
