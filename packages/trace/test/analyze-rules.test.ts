// Each rule on three traces: one that fires, one just below the threshold, and a similar one that must not fire.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyzeTrace, modelOf, RULES } from '../src/index.ts';
import { traceFromText } from '../src/testing/trace-from-text.ts';

const FOLDER = new URL('../fixtures/analyze/', import.meta.url);
const FILES = readdirSync(FOLDER).sort();

function findingsOf(file: string) {
  return analyzeTrace(modelOf(traceFromText(readFileSync(new URL(file, FOLDER), 'utf8'))));
}

for (const file of FILES) {
  const [rule = '', kind = ''] = file.replace('.txt', '').split('--');
  const fires = kind === 'fires';
  test(`${rule} ${fires ? 'fires' : 'does not fire'} on fixtures/analyze/${file}`, () => {
    const findings = findingsOf(file);
    const finding = findings.find((one) => one.id === rule);
    assert.equal(finding !== undefined, fires, JSON.stringify(findings.map((one) => one.id)));
    if (finding === undefined) return;
    assert.ok(finding.evidence.length > 0);
    assert.ok(finding.title.length < 120 && finding.detail.endsWith('.'));
    assert.doesNotMatch(JSON.stringify(finding), /NaN|Infinity|undefined/);
    assert.deepEqual(findingsOf(file), findings);
  });
}

test('every rule has its three fixtures', () => {
  const wanted = Object.keys(RULES).flatMap((rule) =>
    ['confusable', 'fires', 'under'].map((kind) => `${rule}--${kind}.txt`),
  );
  assert.deepEqual(FILES, wanted.sort());
});
