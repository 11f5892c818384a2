import assert from 'node:assert/strict';
import { test } from 'node:test';
import { infoWith } from '../../../test/make-info.ts';
import '../../../test/stand-in-page.ts';
import { otherRange, selection } from '../../state/address.ts';
import { otherTrace } from '../../traces/open-traces.ts';
import { comparedRanges, initialOtherRange, rangeText } from './compared-ranges.ts';

test('the other trace is compared in its own range, the same range, or whole', () => {
  const part = { from: 10, to: 20 };
  selection.value = part;
  assert.deepEqual(comparedRanges.value, { before: null, after: part });
  otherRange.value = 'same';
  assert.deepEqual(comparedRanges.value, { before: part, after: part });
  otherRange.value = { from: 5, to: 6 };
  assert.deepEqual(comparedRanges.value, { before: { from: 5, to: 6 }, after: part });
  selection.value = null;
  assert.deepEqual(comparedRanges.value, { before: { from: 5, to: 6 }, after: null });
});

test('rangeText shows times and length', () => {
  assert.equal(rangeText(null, 50_000), 'all 50.0 s of it');
  assert.equal(rangeText(null, 0), 'all of it');
  assert.equal(rangeText({ from: 1000, to: 3500 }, 50_000), '0:01.000 to 0:03.500 (2.50 s)');
});

test('the first own range is the selection, limited to the other trace', () => {
  otherTrace.value = infoWith({ durationMs: 1000 });
  selection.value = { from: 500, to: 2000 };
  assert.deepEqual(initialOtherRange(), { from: 500, to: 1000 });
  selection.value = { from: 100, to: 200 };
  assert.deepEqual(initialOtherRange(), { from: 100, to: 200 });
  selection.value = { from: 1000, to: 2000 };
  assert.deepEqual(initialOtherRange(), { from: 0, to: 1000 });
  selection.value = null;
  assert.deepEqual(initialOtherRange(), { from: 0, to: 1000 });
  otherTrace.value = infoWith({ durationMs: 0 });
  assert.deepEqual(initialOtherRange(), { from: 0, to: 1 });
});
