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

/** A trace in which nothing has a name, except counters, whose names have a meaning. */
function nameless(text: string): string {
  const named = (line: string): boolean => !/"vpt"|"type":"counter"/.test(line);
  return text
    .split('\n')
    .map((line) =>
      named(line)
        ? line
            .replaceAll(/"name":"[^"]*"/g, '"name":""')
            .replaceAll(/"names":\[[^\]]*\]/g, (names) =>
              names.replaceAll(/"[^",[\]:]+"(?!:)/g, '""'),
            )
        : line,
    )
    .join('\n');
}

test('a finding has words in the place of an empty name', () => {
  const fired = FILES.filter((file) => file.includes('--fires')).flatMap((file) => {
    const text = traceFromText(readFileSync(new URL(file, FOLDER), 'utf8'));
    return analyzeTrace(modelOf(nameless(text)));
  });
  for (const { id, title, detail, evidence } of fired) {
    for (const text of [title, detail, ...evidence.map(({ label }) => label)]) {
      assert.doesNotMatch(text, /^$|^ | $| {2}| [.,:]|\(\)|“”/, id);
    }
  }
  const naming = fired.filter((finding) => JSON.stringify(finding).includes('(no name)'));
  assert.deepEqual([...new Set(naming.map(({ id }) => id))].sort(), [
    'asset_hitches',
    'duplicate_assets',
    'hitches_after_loads',
    'hot_function',
    'kernel_time',
    'late_loads',
    'main_thread_decode',
    'main_thread_reads',
    'memory_steps',
    'missing_mips',
    'page_fault_storm',
    'read_storm',
    'texture_memory',
  ]);
});

test('every rule has its three fixtures', () => {
  const wanted = Object.keys(RULES).flatMap((rule) =>
    ['confusable', 'fires', 'under'].map((kind) => `${rule}--${kind}.txt`),
  );
  assert.deepEqual(FILES, wanted.sort());
});
