import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownRecord, StacksRecord } from '../format/records.ts';
import { PageTimeline, TimelineSegment } from './page-timeline.ts';

const PAGE = { pid: 7, tid: 1 };
const PREFIX = '_random:';

const mark = (name: string, ts: number) => ({
  ...{ name, ph: 'R', cat: 'blink.user_timing', ts, ...PAGE },
  args: { data: { startTime: 1 } },
});

const OWN = { url: 'recorder.js', name: '(recorder)' };

/** A profile of one thread, with a sample each 100 µs from `start` on, in the function `name` and then idle. */
function profileOf(name: string, start: number, thread = PAGE, id = '0x1') {
  const nodes = ['(root)', name, '(idle)'].map((functionName, index) => ({
    ...{ id: index + 1, parent: index === 0 ? undefined : 1 },
    callFrame: { functionName, url: functionName === name ? 'http://h/game.js' : '' },
  }));
  return [
    {
      name: 'Profile',
      ph: 'P',
      cat: 'v8',
      ts: start,
      ...thread,
      id,
      args: { data: { startTime: start } },
    },
    {
      ...{ name: 'ProfileChunk', ph: 'P', cat: 'v8', ts: start + 500, ...thread, id },
      args: { data: { cpuProfile: { nodes, samples: [2, 2, 3] }, timeDeltas: [0, 100, 100] } },
    },
  ];
}

function segmentOf(events: readonly object[]): TimelineSegment {
  const segment = new TimelineSegment(PREFIX);
  const bytes = new TextEncoder().encode(JSON.stringify({ traceEvents: events, metadata: {} }));
  segment.push(bytes.subarray(0, 40));
  segment.push(bytes.subarray(40));
  segment.finish();
  return segment;
}

function written(): { timeline: PageTimeline; records: KnownRecord[] } {
  const records: KnownRecord[] = [];
  return { timeline: new PageTimeline((record) => records.push(record), OWN), records };
}

const stacksOf = (records: readonly KnownRecord[]): StacksRecord[] =>
  records.filter((record) => record.type === 'stacks');

test('the marks of the recording are found, and are not written', () => {
  const segment = segmentOf([
    mark(`${PREFIX}a`, 5000),
    mark(`${PREFIX}a`, 6000),
    mark('own', 7000),
  ]);
  assert.deepEqual([...segment.marks], [['a', { thread: '7:1', pid: '7', ts: 5000 }]]);
  const { timeline, records } = written();
  timeline.write(segment, { thread: '7:1', pid: '7', origin: 4000 });
  assert.deepEqual(records, [{ type: 'mark', t: 3, name: 'own' }]);
});

test('functions have the times of the recording, and segments share names and nodes', () => {
  const { timeline, records } = written();
  const clock = { thread: '7:1', pid: '7', origin: 1000 };
  assert.equal(timeline.write(segmentOf(profileOf('update', 3000)), clock), 2.2);
  assert.equal(timeline.write(segmentOf(profileOf('update', 9000)), clock), 8.2);
  const [first, second] = stacksOf(records);
  assert.deepEqual(first?.names, ['main thread', 'update game.js:1:1']);
  assert.deepEqual(first?.categories, ['main', 'js']);
  assert.deepEqual(
    [first?.t, first?.samples.weight, first?.samples.at_ms],
    [2, [100, 100], [0, 0.1]],
  );
  assert.deepEqual(second?.names, [], 'the names are known');
  assert.deepEqual([second?.first_name, second?.first_node, second?.t], [2, 2, 8]);
});

test('other processes are left out, and other threads of the page have their own root', () => {
  const { timeline, records } = written();
  const worker = { pid: 7, tid: 2 };
  const events = [
    { name: 'thread_name', ph: 'M', ...worker, args: { name: 'DedicatedWorker' } },
    ...profileOf('update', 3000),
    ...profileOf('help', 3000, worker, '0x2'),
    ...profileOf('foreign', 3000, { pid: 8, tid: 1 }, '0x3'),
  ];
  timeline.write(segmentOf(events), { thread: '7:1', pid: '7', origin: 0 });
  assert.deepEqual(
    stacksOf(records)
      .flatMap(({ names }) => names)
      .toSorted(),
    [...['DedicatedWorker 2', 'help game.js:1:1', 'main thread', 'update game.js:1:1']],
  );
});

test('rendering and collections are spans; a full buffer and unreadable events are losses', () => {
  const { timeline, records } = written();
  const events = [
    { name: 'Layout', ph: 'X', cat: 'devtools.timeline', ts: 5000, dur: 2500, ...PAGE },
    { name: 'MinorGC', ph: 'X', cat: 'devtools.timeline', ts: 500, dur: 1500, ...PAGE },
    { name: 'TracingBufferFull', ph: 'I', cat: 'x', ts: 9000, ...PAGE },
    { ph: 'X' },
  ];
  const clock = { thread: '7:1', pid: '7', origin: 1000 };
  assert.equal(timeline.write(segmentOf(events), clock), 0);
  assert.deepEqual(records, [
    { type: 'span', t: 4, duration_ms: 2.5, name: 'layout', track: 'rendering' },
    { type: 'loss', t: 0, reason: 'unreadable_events', count: 1 },
    { type: 'loss', t: 8, reason: 'buffer_full', probe: 'stacks' },
  ]);
});

test('functions of the recorder count as the function that called them, otherwise as one function', () => {
  const { timeline, records } = written();
  const calls = [
    ['(root)', ''],
    ['frame', 'http://h/game.js'],
    ['patched', 'recorder.js'],
    ['texImage2D', ''],
    ['tick', 'recorder.js'],
    ['collect', 'recorder.js'],
    ['callback', 'http://h/game.js'],
  ] as const;
  const parents = [undefined, 1, 2, 3, 1, 5, 6];
  const nodes = calls.map(([functionName, url], index) => ({
    ...{ id: index + 1, parent: parents[index], callFrame: { functionName, url } },
  }));
  const at = { ts: 100, ...PAGE, id: '0x1', ph: 'P', cat: 'v8' };
  const chunk = { cpuProfile: { nodes, samples: [3, 4, 5, 6, 7, 2] } };
  const segment = segmentOf([
    { name: 'Profile', ...at, args: { data: { startTime: 100 } } },
    {
      ...{ name: 'ProfileChunk', ...at },
      args: { data: { ...chunk, timeDeltas: [0, 10, 10, 10, 10, 10] } },
    },
  ]);
  timeline.write(segment, { thread: '7:1', pid: '7', origin: 0 });
  const [record = assert.fail()] = stacksOf(records);
  const { names, parents: above, node_names, samples } = record;
  const stackOf = (node: number): string =>
    node < 0 ? '' : `${stackOf(above[node] ?? -1)}/${names[node_names[node] ?? 0]}`;
  assert.deepEqual(samples.node.map(stackOf), [
    '/main thread/frame game.js:1:1',
    '/main thread/frame game.js:1:1/texImage2D',
    '/main thread/(recorder)',
    '/main thread/(recorder)',
    '/main thread/(recorder)/callback game.js:1:1',
    '/main thread/frame game.js:1:1',
  ]);
});
