import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareTraces, type ReadTrace, readTrace } from './compare-traces.ts';

const TEXT = `{"vpt":1,"producer":{"name":"a","version":"1"},"started_at":null,"sources":["native"]}
{"type":"mark","t":1,"name":"loaded"}
`;

/** The trace, read with a change. */
function changed(change: (read: { lines: { name: string }[]; header: object }) => void): ReadTrace {
  const { text, read } = readTrace(TEXT);
  const copy = structuredClone(read) as Parameters<typeof change>[0];
  change(copy);
  return { text, read: copy };
}

test('compareTraces: the same, and with fewer fields than now', () => {
  const fewer = changed(({ header }) => Reflect.deleteProperty(header, 'sources'));
  assert.deepEqual(compareTraces({ same: readTrace(TEXT), fewer }), []);
});

test('compareTraces: a record or a field is read in another way, or the trace is rejected', () => {
  const renamed = changed(({ lines }) => lines.splice(0, 1, { name: 'other' }));
  const more = changed(({ lines }) => lines.push({ name: 'more' }));
  const rejected = { text: TEXT.replace('"vpt":1', '"vpt":0'), read: readTrace(TEXT).read };
  assert.deepEqual(
    compareTraces({ renamed, more, rejected }).map(({ where }) => where),
    ['trace renamed', 'trace more', 'trace rejected'],
  );
});
