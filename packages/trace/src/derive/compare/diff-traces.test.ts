// The whole comparison of two traces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assetReportOfModel, diffTraces, modelOf } from '../../index.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';

function sideOf(text: string, digest?: string) {
  const model = modelOf(traceFromText(text));
  const header = digest === undefined ? model.header : { ...model.header, build: { digest } };
  return { model: { ...model, header }, report: assetReportOfModel(model) };
}

const OLD = `browser
  0 frames 10*99 50
  0 asset 1 rock.png texture decode main_thread_ms=10
  0 stacks a 1000@0 | b 1000@1
`;
const NEW = OLD.replace('50', '90').replace('main_thread_ms=10', 'main_thread_ms=30');

test('diffTraces compares metrics, functions and assets', () => {
  const diff = diffTraces(sideOf(OLD), sideOf(NEW));
  assert.equal(diff.builds, 'unknown');
  assert.equal(diff.budget_ms, 1000 / 60);
  const longest = diff.metrics.find(({ metric }) => metric === 'max_ms');
  assert.deepEqual([longest?.before, longest?.after, longest?.verdict], [50, 90, 'worse']);
  assert.equal(diff.metrics_before.max_ms?.value, 50);
  assert.equal(diff.metrics_after.max_ms?.value, 90);
  assert.equal(diff.functions[0]?.changes.length, 2);
  const [rock] = diff.assets;
  assert.deepEqual([rock?.name, (rock?.cost_change ?? 0) > 0], ['rock.png', true]);
});

test('diffTraces counts hitches by the budget, and compares the builds', () => {
  const hitches = (budget_ms: number) =>
    diffTraces(sideOf(OLD, 'x'), sideOf(NEW, 'x'), budget_ms).metrics.find(
      ({ metric }) => metric === 'hitches_per_minute',
    );
  assert.equal(hitches(60)?.before, 0);
  assert.ok((hitches(60)?.after ?? 0) > 0);
  assert.equal(diffTraces(sideOf(OLD, 'x'), sideOf(NEW, 'x')).builds, 'same');
  assert.equal(diffTraces(sideOf(OLD, 'x'), sideOf(NEW, 'y')).builds, 'different');
});
