// Facts about a trace from one pass, for scanned and for parsed lines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { VptReader } from '../../vpt/read-vpt.ts';
import { type TraceFacts, TraceFactsSink } from './trace-facts.ts';

function factsOf(text: string): TraceFacts {
  const sink = new TraceFactsSink();
  const reader = new VptReader(sink);
  reader.push(new TextEncoder().encode(text));
  return sink.facts(reader.finish());
}

const LINES = `browser native started=2026-01-02T03:04:05.678Z
  0 browser:frames 16.5 16.5
  100 browser:asset 1 a texture load duration_ms=50
  300 browser:asset 1 a texture decode
  200 native:mark m
`;

test('TraceFactsSink counts records and asset records, and returns sources, bytes and duration', () => {
  const text = traceFromText(LINES);
  const facts: TraceFacts = {
    sources: ['browser', 'native'],
    started_at: '2026-01-02T03:04:05.678Z',
    records: 4,
    assets: 2,
    bytes: text.length,
    duration_ms: 300,
    partial: true,
    torn_bytes: 0,
    truncated: false,
  };
  assert.deepEqual(factsOf(text), facts);
  // A space before a line makes the reader use the parser instead of a fast path.
  const long = text.replaceAll('\n{', '\n {');
  assert.deepEqual(factsOf(long), { ...facts, bytes: long.length });
  assert.deepEqual(factsOf(`${text}{"type":`), {
    ...facts,
    bytes: text.length + 8,
    torn_bytes: 8,
  });
  const ended = `${text}{"type":"end","t":9,"reason":"off"}\n`;
  assert.deepEqual(factsOf(ended), { ...facts, records: 5, bytes: ended.length, partial: false });
});

test('TraceFactsSink returns the latest end of records of every type with a duration', () => {
  const ends: readonly (readonly [line: string, end: number | null])[] = [
    ['10 frames 16.5 16.5', 43],
    ['10 longtask 60', 70],
    ['10 span 60 s', 70],
    ['10 asset 1 a data load duration_ms=60', 70],
    ['10 asset 1 a data load', 10],
    ['10 stacks a 1', 1010],
    ['10 loss paused 60', 70],
    ['10 loss paused', 10],
    ['10 process rss=60', 10],
    ['10 mark m', 10],
    ['10 end off', 10],
    ['0 mark m', null],
  ];
  for (const [line, end] of ends) {
    const text = traceFromText(`browser\n${line}\n`);
    assert.equal(factsOf(text).duration_ms, end, line);
    assert.equal(factsOf(text.replaceAll('\n{', '\n {')).duration_ms, end, line);
  }
});

test('TraceFactsSink reports a trace as truncated only if storage ran out', () => {
  const truncated = (...reasons: string[]): boolean =>
    factsOf(traceFromText(['browser', ...reasons.map((one) => `1 loss ${one} 5`)].join('\n')))
      .truncated;
  assert.equal(truncated('storage_cap'), true);
  assert.equal(truncated('disk_full'), true);
  assert.equal(truncated('disk_full', 'hidden_tab'), true);
  assert.equal(truncated('buffer_full', 'hidden_tab', 'stacks_lost'), false);
});

test('TraceFactsSink returns the start in UTC, unchanged if it already is', () => {
  const started = (at: string): string | null =>
    factsOf(traceFromText(`browser started=${at}\n1 mark m\n`)).started_at;
  assert.equal(started('2026-01-02T03:04:05Z'), '2026-01-02T03:04:05Z');
  assert.equal(started('2026-01-02T03:04:05+02:00'), '2026-01-02T01:04:05.000Z');
  assert.equal(factsOf(traceFromText('browser\n1 mark m\n')).started_at, null);
});
