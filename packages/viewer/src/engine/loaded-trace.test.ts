import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadedTrace } from './loaded-trace.ts';
import {
  checkBytes,
  checkDefinedNodes,
  checkRecords,
  OPEN_LIMITS,
  TooBigError,
  treeRoom,
} from './open-limits.ts';

const HEADER =
  '{"vpt":1,"producer":{"name":"test","version":"1"},"started_at":null,"sources":["browser"]}\n';

function open(text: string, limits: Partial<typeof OPEN_LIMITS> = {}): LoadedTrace {
  const origin = { kind: 'file', id: 'file-1', file: new Blob([text]), name: 'test' } as const;
  const trace = new LoadedTrace(origin, { ...OPEN_LIMITS, ...limits });
  trace.push(new TextEncoder().encode(text));
  trace.finish();
  return trace;
}

const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof TooBigError && pattern.test(error.message);

test('a trace at a limit opens, and one beyond it is rejected with the number', () => {
  const marks = HEADER + '{"type":"mark","t":1,"name":"m"}\n'.repeat(5);
  assert.equal(open(marks, { records: 5 }).info.counts['mark'], 5);
  assert.throws(() => open(marks, { records: 4 }), refused(/more assets, .* can hold \(4\)/));
  assert.throws(() => open(marks, { bytes: 100 }), refused(/Its size is \d+ B, .* at most 100 B/));
  const stacks = `${HEADER}{"type":"stacks","t":0,"first_name":0,"names":["a"],"first_node":0,"parents":[-1,0,1],"node_names":[0,0,0],"samples":{"node":[2],"weight":[1]},"unit":"ms"}\n`;
  assert.equal(open(stacks, { definedNodes: 3 }).model.stacks[0]?.tree.length, 3);
  assert.throws(() => open(stacks, { definedNodes: 2 }), refused(/more nodes than .* \(2\)/));
});

test('a call tree beyond the limit is cut, also while the trace grows, and the affected samples are counted', () => {
  const folded = open('a;b 1\na;c 1\na;b 1\n', { nodes: 2 });
  assert.equal(folded.info.leftOutSamples, 1);
  assert.equal(folded.model.stacks[0]?.tree.length, 3);
  const origin = { kind: 'agent', id: 'agent-1', token: '', name: 'live', growing: true } as const;
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

test('frames, counters and samples do not count as individual records', () => {
  const frames = HEADER + '{"type":"frames","t":0,"duration_ms":[16]}\n'.repeat(9);
  assert.equal(open(frames, { records: 1 }).info.counts['frames'], 9);
});

test('the limits are 4 GiB, 8 million records, 32 Mi nodes and 128 Mi defined nodes', () => {
  for (const [check, most] of [
    [checkBytes, 4 * 1024 ** 3],
    [checkRecords, 8_000_000],
    [checkDefinedNodes, 128 * 1024 ** 2],
  ] as const) {
    check(most, OPEN_LIMITS);
    assert.throws(() => check(most + 1, OPEN_LIMITS), TooBigError);
  }
  assert.deepEqual(treeRoom(OPEN_LIMITS), { nodes: 32 * 1024 ** 2, leftOut: 4 * 1024 ** 2 });
});

test('every kind of individual record counts, and the nodes of all stack records', () => {
  const records = [
    '{"type":"mark","t":1,"name":"m"}',
    '{"type":"log","t":1,"level":"info","text":"l"}',
    '{"type":"span","t":1,"duration_ms":1,"name":"s"}',
    '{"type":"longtask","t":1,"duration_ms":60}',
    '{"type":"asset","t":1,"id":1,"name":"a","kind":"mesh","phase":"load"}',
    '{"type":"loss","t":1,"reason":"hidden_tab"}',
  ];
  for (const record of records) {
    assert.throws(
      () => open(`${HEADER}${`${record}\n`.repeat(2)}`, { records: 1 }),
      TooBigError,
      record,
    );
  }
  const columns = [
    '{"type":"process","t":1,"rss_bytes":1}',
    '{"type":"counter","t":1,"name":"c","unit":"count","value":1}',
  ];
  for (const record of columns) open(`${HEADER}${`${record}\n`.repeat(2)}`, { records: 1 });
  const stacks = (node: number): string =>
    `{"type":"stacks","t":0,"first_name":${node},"names":["n${node}"],"first_node":${node},"parents":[-1],"node_names":[${node}],"samples":{"node":[${node}],"weight":[1]},"unit":"ms"}\n`;
  open(HEADER + stacks(0) + stacks(1), { definedNodes: 2 });
  assert.throws(() => open(HEADER + stacks(0) + stacks(1), { definedNodes: 1 }), TooBigError);
});

test('the info of a .vpt trace', () => {
  const header =
    '{"vpt":1,"producer":{"name":"svc","version":"0.1"},"started_at":"2026-01-01T00:00:00.000Z","sources":["native","browser"],"target":{"pid":7,"name":"game","started_at":null}}\n';
  const records =
    '{"type":"mark","t":1500,"name":"m","source":"native"}\n{"type":"loss","t":10,"reason":"hidden_tab"}\n{"type":"loss","t":20,"reason":"storage_cap"}\n';
  const text = `${header}${records}{"type":"end","t":1500,"reason":"off"}\n`;
  const ended = open(text).info;
  assert.deepEqual(ended, {
    id: 'file-1',
    name: 'test',
    origin: 'file',
    format: 'vpt',
    producer: 'svc 0.1',
    target: 'game (7)',
    build: null,
    gpu: null,
    machine: null,
    sources: ['native', 'browser'],
    startedAt: '2026-01-01T00:00:00.000Z',
    records: 4,
    counts: { mark: 1, loss: 2, end: 1 },
    notes: [],
    bytes: text.length,
    compressed: false,
    durationMs: 1500,
    partial: false,
    truncated: 'storage_cap',
    leftOutSamples: 0,
    endReason: 'off',
    tornBytes: 0,
    skipped: [],
    skippedLines: 0,
    twoWeights: false,
    revision: 1,
  });
  const torn = open(`${header}{"type":"loss","t":20,"reason":"disk_full"}\n{"type":"ma`).info;
  assert.deepEqual(
    [torn.partial, torn.truncated, torn.tornBytes, torn.endReason],
    [true, 'disk_full', 11, null],
  );
  assert.equal(
    open(`${header}{"type":"loss","t":20,"reason":"hidden_tab"}\n`).info.truncated,
    null,
  );
});

test('the info of folded stacks', () => {
  const { info } = open('a;b 1 2\nnonsense\nc 3 4\n');
  assert.deepEqual(
    [info.format, info.producer, info.partial, info.twoWeights, info.durationMs],
    ['folded', null, false, true, 0],
  );
  assert.deepEqual([info.records, info.counts], [2, { stacks: 2 }]);
  assert.deepEqual([info.skippedLines, info.skipped[0]?.line], [1, 2]);
  assert.equal(open('a;b 1\n').info.twoWeights, false);
});

test('the info names the graphics adapter and the build of the header, or null', () => {
  const named = HEADER.replace(
    '"sources"',
    '"gpu":{"name":"SwiftShader","software":true},"build":{"digest":"sha256:0a"},"sources"',
  );
  const { gpu, build } = open(named).info;
  assert.deepEqual([gpu, build], [{ name: 'SwiftShader', software: true }, 'sha256:0a']);
  const bare = open(HEADER).info;
  assert.deepEqual([bare.gpu, bare.build], [null, null]);
});
