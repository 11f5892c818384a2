import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { summarizeTrace } from '@svc/trace';
import { modelOf } from '../../../test/build-trace.ts';
import { deriveAnalysis } from './derive-analysis.ts';

test('the digest is that of the shown text, in lower-case hex', async () => {
  const model = modelOf({ type: 'frames', t: 0, duration_ms: [16, 17, 400, 16] });
  const { summary } = await deriveAnalysis(model, 20);
  assert.equal(summary.sha256, createHash('sha256').update(summary.text, 'utf8').digest('hex'));
  assert.equal(summary.bytes, Buffer.byteLength(summary.text));
  assert.equal(summary.text, summarizeTrace(model, { budget_ms: 20 }).text);
});

test('findings and summary use the requested frame budget', async () => {
  const duration_ms = Array.from({ length: 600 }, (_, i) => (i % 10 === 0 ? 30 : 16));
  const model = modelOf({ type: 'frames', t: 0, duration_ms });
  const strict = await deriveAnalysis(model, 16.7);
  const generous = await deriveAnalysis(model, 50);
  const over = ({ findings }: typeof strict): boolean =>
    findings.some(({ id }) => id.includes('budget'));
  assert.deepEqual([over(strict), over(generous)], [true, false]);
  assert.notEqual(strict.summary.text, generous.summary.text);
});
