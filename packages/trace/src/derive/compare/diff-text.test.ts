// The answer of a comparison in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assetReportOfModel, modelOf } from '../../index.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { assetRiseText, diffVerdict, functionRiseText } from './diff-text.ts';
import { diffTraces } from './diff-traces.ts';
import { largestRises } from './largest-rises.ts';
import { METRIC_WORDS } from './metric-text.ts';

function diffOf(before: string, after: string) {
  const sideOf = (text: string) => {
    const model = modelOf(traceFromText(`browser\n${text}`));
    return { model, report: assetReportOfModel(model) };
  };
  return diffTraces(sideOf(before), sideOf(after));
}

function verdictOf(before: string, after: string) {
  const { metrics, functions } = diffOf(before, after);
  const { change, ...verdict } = diffVerdict(metrics, functions, (metric) => METRIC_WORDS[metric]);
  return { ...verdict, metric: change?.metric ?? null };
}

test('the verdict names the worst change, and counts the others', () => {
  assert.deepEqual(verdictOf('0 frames 10*5 20', '0 frames 10*5 30'), {
    headline: 'The time over budget per minute rose by 250 % (2,857 ms before, 10,000 ms after).',
    detail: '6 values are worse, 1 better, 1 the same.',
    ...{ verdict: 'worse', metric: 'over_ms_per_minute' },
  });
  const { headline } = verdictOf('0 frames 10*6', '0 frames 20*6');
  assert.equal(headline, 'The number of hitches per minute rose (0 before, 3,000 after).');
});

test('the verdict names the best change if nothing is worse', () => {
  const { headline, detail, verdict } = verdictOf('0 frames 16*6', '0 frames 8*6');
  assert.equal(headline, 'The average frame rate rose by 100 % (62.5 before, 125.0 after).');
  assert.equal(detail, 'Nothing became worse: 6 values are better, 2 the same.');
  assert.equal(verdict, 'better');
});

test('the verdict states that nothing changed, or that nothing can be compared', () => {
  assert.deepEqual(verdictOf('0 frames 16*6', '0 frames 16*6'), {
    headline: 'Nothing changed beyond noise.',
    detail: '8 values are the same: a change of up to 1 % may be chance.',
    ...{ verdict: 'same', metric: null },
  });
  assert.match(verdictOf('0 stacks a 1@0', '0 stacks a 1@0').headline, /^Only functions can be/);
  assert.deepEqual(verdictOf('0 frames 16', '0 counter gpu_bytes bytes 1'), {
    ...{ headline: 'No value is in both traces.', detail: '', verdict: 'unknown', metric: null },
  });
});

test('the rise of an asset states its cost before and after', () => {
  const rock = (ms: number) => `0 asset 1 rock texture decode main_thread_ms=${ms}`;
  const sky = '0 asset 2 sky texture decode main_thread_ms=5';
  const textOf = (before: string, after: string) => {
    const { asset } = largestRises(diffOf(before, after));
    return asset && `${asset.name} ${assetRiseText(asset)}`;
  };
  assert.equal(
    textOf(rock(10), `${rock(30)}\n${sky}`),
    'rock costs 0.60 frame budgets more (0.30 before, 0.90 after)',
  );
  assert.equal(textOf(rock(10), `${rock(10)}\n${sky}`), 'sky is new and costs 0.15 frame budgets');
  assert.equal(textOf(rock(10), rock(10)), null);
  assert.equal(textOf(rock(10), rock(10.1)), null);
  assert.equal(textOf(rock(10), rock(5)), null);
});

test('the rise of a function states its share before and after', () => {
  const textOf = (before: string, after: string) => {
    const rise = largestRises(diffOf(before, after)).function;
    return rise && `${rise.name} ${functionRiseText(rise)}`;
  };
  const old = '0 stacks a 9000@0 | b 1000@10';
  assert.equal(
    textOf(old, '0 stacks a 5000@0 | b 5000@10'),
    'b takes 50.0 % of the time, 10.0 % before',
  );
  assert.equal(
    textOf(old, '0 stacks a 5000@0 | b 1000@10 | c 4000@20'),
    'c is new and takes 40.0 % of the time',
  );
  assert.equal(textOf(old, old), null);
  assert.equal(textOf(old, '0 stacks a 8960@0 | b 1040@10'), null);
});
