import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadedTrace } from './loaded-trace.ts';
import { OPEN_LIMITS, TooBig } from './open-limits.ts';

const HEADER =
  '{"vpt":1,"producer":{"name":"test","version":"1"},"started_at":null,"sources":["browser"]}\n';

function open(text: string, limits: Partial<typeof OPEN_LIMITS> = {}): LoadedTrace {
  const origin = { kind: 'file', file: new Blob([text]), name: 'test' } as const;
  const trace = new LoadedTrace(origin, { ...OPEN_LIMITS, ...limits });
  trace.push(new TextEncoder().encode(text));
  trace.finish();
  return trace;
}

const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof TooBig && pattern.test(error.message);

test('a trace beyond a limit is refused with the number, one at the limit opens', () => {
  const marks = HEADER + '{"type":"mark","t":1,"name":"m"}\n'.repeat(5);
  assert.equal(open(marks, { records: 5 }).info.counts['mark'], 5);
  assert.throws(() => open(marks, { records: 4 }), refused(/more than the 4 assets/));
  assert.throws(() => open(marks, { bytes: 100 }), refused(/It has \d+ B; .* up to 100 B/));
  const stacks = `${HEADER}{"type":"stacks","t":0,"first_name":0,"names":["a"],"first_node":0,"parents":[-1,0,1],"node_names":[0,0,0],"samples":{"node":[2],"weight":[1]},"unit":"ms"}\n`;
  assert.equal(open(stacks, { definedNodes: 3 }).model.stacks[0]?.tree.length, 3);
  assert.throws(() => open(stacks, { definedNodes: 2 }), refused(/more than the 2 nodes/));
});

test('a call tree beyond the limit is cut, also while the trace grows, and says how many samples that touched', () => {
  const folded = open('a;b 1\na;c 1\na;b 1\n', { nodes: 2 });
  assert.equal(folded.info.leftOutSamples, 1);
  assert.equal(folded.model.stacks[0]?.tree.length, 3);
  const origin = { kind: 'agent', token: '', name: 'live', growing: true } as const;
  const live = new LoadedTrace(origin, { ...OPEN_LIMITS, nodes: 2 });
  live.push(new TextEncoder().encode(HEADER));
  for (let second = 0; second < 5; second++) {
    const table = `"first_name":${second},"names":["f${second}"],"first_node":${second},"parents":[-1],"node_names":[${second}]`;
    const line = `{"type":"stacks","t":${second},${table},"samples":{"node":[${second}],"weight":[1]},"unit":"ms"}\n`;
    live.push(new TextEncoder().encode(line));
    live.revision++;
    assert.equal(live.info.leftOutSamples, Math.max(0, second - 1));
  }
  assert.equal(live.model.stacks[0]?.tree.samples, 5);
});

test('frames, counters and samples are no records that are kept one by one', () => {
  const frames = HEADER + '{"type":"frames","t":0,"duration_ms":[16]}\n'.repeat(9);
  assert.equal(open(frames, { records: 1 }).info.counts['frames'], 9);
});
