// Chrome traces in each form that Chrome writes, with the events that its versions have in common.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownRecord, StacksRecord } from '../format/records.ts';
import { modelOf } from '../model/build-model.ts';
import { pathOf } from '../stacks/stack-tree.ts';
import { readVpt } from '../vpt/read-vpt.ts';
import { ChromeConverter } from './convert-chrome.ts';

type Event = Record<string, unknown>;
const PAGE = { pid: 7, tid: 1 };
const START = 5_000_000;

/** Times in the helpers are ms after the start of the recording. */
const us = (ms: number): number => START + ms * 1000;
const thread = (tid: number, name: string, pid = 7): Event => ({
  name: 'thread_name',
  ph: 'M',
  pid,
  tid,
  ts: 0,
  args: { name },
});
const work = (name: string, ms: number, dur: number, more: Event = {}): Event => ({
  name,
  ph: 'X',
  ts: us(ms),
  dur: dur * 1000,
  ...PAGE,
  args: {},
  ...more,
});
const instant = (name: string, ms: number, data: Event = {}, more: Event = {}): Event => ({
  name,
  ph: 'I',
  ts: us(ms),
  ...PAGE,
  args: { data },
  ...more,
});
const frames = (...starts: number[]): Event[] =>
  starts.flatMap((start) => [
    instant('BeginMainThreadFrame', start - 0.1),
    work('FireAnimationFrame', start, 1),
    instant('RequestAnimationFrame', start + 0.5),
  ]);
const STARTED = instant('TracingStartedInBrowser', 0, {}, { pid: 1 });
const BASE: Event[] = [STARTED, thread(1, 'CrRendererMain'), thread(2, 'DedicatedWorker thread')];

function convert(text: string, size = text.length) {
  let vpt = '';
  const converter = new ChromeConverter((line) => {
    vpt += line;
  });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) converter.push(bytes.subarray(at, at + size));
  const conversion = converter.finish();
  const { header, lines } = readVpt(new TextEncoder().encode(vpt));
  return { vpt, conversion, header, lines };
}

function recordsOf(events: readonly Event[], type?: KnownRecord['type']) {
  const { lines } = convert(JSON.stringify({ traceEvents: [...BASE, ...events] }));
  return lines.filter((line) => type === undefined || line.type === type);
}

test('the start is a time in UTC, or unknown if its year has five digits there', () => {
  const startOf = (startTime: string) =>
    convert(JSON.stringify({ metadata: { startTime }, traceEvents: [...BASE, ...frames(10, 26)] }))
      .header.started_at;
  assert.equal(startOf('2026-03-01T10:00:00+02:00'), '2026-03-01T08:00:00.000Z');
  assert.equal(startOf('9999-12-31T23:59:59-12:00'), null);
  assert.equal(startOf('2026-03-01 10:00'), null);
});

test('an object, an array and an array without its end give the same records', () => {
  const events = [...BASE, ...frames(10, 26, 42)];
  const object = convert(
    JSON.stringify({ metadata: { startTime: '2026-03-01T10:00:00.000Z' }, traceEvents: events }),
  );
  const array = convert(JSON.stringify(events));
  const killed = convert(JSON.stringify(events).slice(0, -1));
  const torn = convert(`${JSON.stringify(events).slice(0, -1)},{"name":"RunT`);
  assert.deepEqual(object.lines[0], { type: 'frames', t: 10, duration_ms: [16, 16] });
  for (const other of [array, killed, torn]) assert.deepEqual(other.lines[0], object.lines[0]);
  assert.deepEqual(
    [object.header.started_at, array.header.started_at],
    ['2026-03-01T10:00:00.000Z', null],
  );
  assert.deepEqual(
    [object, array, killed, torn].map(({ conversion }) => conversion.torn),
    [false, false, true, true],
  );
  assert.deepEqual(
    [object, array, killed, torn].map(({ lines }) => lines.at(-1)?.type),
    ['end', 'end', 'frames', 'frames'],
  );
});

test('the callbacks of one frame are one frame, with and without the starts of frames', () => {
  const callbacks = [10, 11.2, 26, 42].map((start) => work('FireAnimationFrame', start, 1));
  const [record] = recordsOf(callbacks, 'frames');
  assert.deepEqual(record, { type: 'frames', t: 10, duration_ms: [16, 16] });
  const begins = [9, 41].map((start) => instant('BeginMainThreadFrame', start));
  assert.deepEqual(recordsOf([...callbacks, ...begins], 'frames')[0], {
    type: 'frames',
    t: 10,
    duration_ms: [32],
  });
});

test('a pause in which the page asks for no frame is not a frame, but a hitch is', () => {
  const paused = [
    ...frames(10),
    work('FireAnimationFrame', 26, 1),
    instant('BeginMainThreadFrame', 25.9),
    instant('RequestAnimationFrame', 2000),
    ...frames(2016, 2032),
  ];
  assert.deepEqual(recordsOf(paused, 'frames'), [
    { type: 'frames', t: 10, duration_ms: [16] },
    { type: 'frames', t: 2016, duration_ms: [16] },
  ]);
  assert.deepEqual(recordsOf(frames(10, 2010, 2026), 'frames')[0], {
    type: 'frames',
    t: 10,
    duration_ms: [2000],
  });
});

test('each frame has the time of the main thread in tasks, clipped to the frame and counted once', () => {
  const tasks = [
    work('RunTask', 5, 10),
    work('RunTask', 20, 30),
    work('ThreadControllerImpl::RunTask', 20, 30),
    work('RunTask', 25, 5),
    work('RunTask', 10, 200, { tid: 2 }),
    work('RunTask', 10, 200, { pid: 8 }),
  ];
  assert.deepEqual(recordsOf([...frames(10, 26, 42, 58), ...tasks], 'frames'), [
    { type: 'frames', t: 10, duration_ms: [16, 16, 16], main_ms: [11, 16, 8] },
  ]);
});

test('the tasks of the thread that sends work to the GPU are spans, of at least 1 ms', () => {
  const onGpu = { pid: 9, tid: 4 };
  const tasks = [
    work('RunTask', 30, 20, onGpu),
    work('RunTask', 12, 1, onGpu),
    work('RunTask', 14, 0.9, onGpu),
    work('GPUTask', 60, 20, onGpu),
    work('RunTask', 60, 20, { pid: 9, tid: 5 }),
  ];
  const base = [...frames(10, 26), ...tasks];
  const named = { name: 'GPU process', track: 'gpu process' };
  for (const name of ['CrGpuMain', 'Chrome_InProcGpuThread']) {
    assert.deepEqual(recordsOf([thread(4, name, 9), ...base], 'span'), [
      { type: 'span', t: 12, duration_ms: 1, ...named },
      { type: 'span', t: 30, duration_ms: 20, ...named },
    ]);
  }
  assert.deepEqual(recordsOf([thread(4, 'Compositor', 9), ...base], 'span'), []);
});

test('the header names the graphics adapter of the metadata, and whether it renders in software', () => {
  const gpuOf = (metadata: Event) =>
    convert(JSON.stringify({ traceEvents: [...BASE, ...frames(10, 26)], metadata })).header.gpu;
  const renderer = 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)))';
  assert.deepEqual(gpuOf({ 'gpu-gl-renderer': renderer }), { name: renderer, software: true });
  const nvidia = 'ANGLE (NVIDIA, NVIDIA GeForce RTX 3060, OpenGL 4.5)';
  assert.deepEqual(gpuOf({ 'gpu-gl-renderer': nvidia }), { name: nvidia, software: false });
  assert.deepEqual(gpuOf({ 'gpu-gl-renderer': '/home/me/driver' }), {
    name: 'driver',
    software: false,
  });
  for (const none of [{}, { 'gpu-gl-renderer': 7 }, { 'gpu-gl-renderer': '' }]) {
    assert.equal(gpuOf(none), undefined);
  }
});

test('a page without animation frames has the frames that its compositor drew', () => {
  const draws = [5, 21, 37, 3000, 3016].map((ms) => instant('DrawFrame', ms, {}, { tid: 9 }));
  assert.deepEqual(recordsOf(draws, 'frames'), [
    { type: 'frames', t: 5, duration_ms: [16, 16] },
    { type: 'frames', t: 3000, duration_ms: [16] },
  ]);
});

test('of several page processes, the one with the most frames is shown, and the trace states it', () => {
  const other = frames(1, 2, 3, 4).map((event) => ({ ...event, pid: 8 }));
  const events = [thread(1, 'CrRendererMain', 8), ...other, ...frames(10, 26)];
  const records = recordsOf(events);
  assert.deepEqual(records[0], { type: 'frames', t: 1, duration_ms: [1, 1, 1] });
  const log = records.find(({ type }) => type === 'log');
  assert.ok(log?.type === 'log');
  assert.match(log.text, /2 page processes.*process 8/);
  assert.deepEqual(recordsOf(frames(1, 2), 'log'), []);
});

test('of page processes with as many frames, the one with the most work is shown', () => {
  const other = { pid: 8 };
  const events = [
    thread(1, 'CrRendererMain', 8),
    ...frames(10, 26),
    ...frames(10, 26).map((event) => ({ ...event, ...other })),
  ];
  const taskOf = (ms: number, otherMs: number) =>
    recordsOf(
      [...events, work('RunTask', 100, ms), work('RunTask', 100, otherMs, other)],
      'longtask',
    );
  const busiest = [{ type: 'longtask', t: 100, duration_ms: 80 }];
  assert.deepEqual(taskOf(60, 80), busiest);
  assert.deepEqual(taskOf(80, 60), busiest);
});

test('long tasks name the calls into scripts that ran in them', () => {
  const call = (name: string, ms: number, dur: number) =>
    work('FunctionCall', ms, dur, {
      args: {
        data: { functionName: name, url: 'https://h/game.js?x', lineNumber: 4, columnNumber: 15 },
      },
    });
  const task = { ms: 20, dur: 90 };
  const events = [
    work('RunTask', 0, 49.9),
    work('ThreadControllerImpl::RunTask', task.ms, task.dur + 1),
    call('inner', 40, 10),
    call('frame', 21, 60),
    call('short', 82, 0.5),
    call('after', 85, 5),
    call('outside', 200, 70),
    work('RunTask', task.ms, task.dur),
    work('RunTask', 300, 60, { tid: 2 }),
  ];
  assert.deepEqual(recordsOf(events, 'longtask'), [
    {
      type: 'longtask',
      t: 20,
      duration_ms: 90,
      scripts: [
        { name: 'frame game.js:4', duration_ms: 60 },
        { name: 'after game.js:4', duration_ms: 5 },
      ],
    },
  ]);
});

test('a long task without a call into a script has no list of scripts', () => {
  assert.deepEqual(recordsOf([work('RunTask', 20, 90)], 'longtask'), [
    { type: 'longtask', t: 20, duration_ms: 90 },
  ]);
});

test('garbage collection and rendering work of at least a millisecond are spans', () => {
  const events = [
    work('Layout', 3, 2),
    work('UpdateLayoutTree', 1, 1),
    work('Paint', 6, 0.9),
    work('MinorGC', 8, 1.5),
    work('V8.GCScavenger', 8.1, 1.4),
    work('MajorGC', 9, 5, { tid: 2 }),
    work('ImageDecodeTask', 20, 3, { tid: 3 }),
  ];
  assert.deepEqual(
    recordsOf(events, 'span').map(
      (span) => span.type === 'span' && [span.track, span.name, span.t, span.duration_ms],
    ),
    [
      ['rendering', 'style', 1, 1],
      ['rendering', 'layout', 3, 2],
      ['gc', 'minor GC', 8, 1.5],
      ['image decode', 'image decode', 20, 3],
    ],
  );
});

test('where Chrome recorded only the events of V8, these are the garbage collections', () => {
  for (const [event, name] of [
    ['V8.GCScavenger', 'minor GC'],
    ['V8.GCFinalizeMC', 'major GC'],
    ['V8.GCCompactor', 'major GC'],
  ] as const) {
    assert.deepEqual(recordsOf([work(event, 8.1, 1.4)], 'span'), [
      { type: 'span', t: 8.1, duration_ms: 1.4, name, track: 'gc' },
    ]);
  }
});

test('loads have sizes, cache and kind, and a script has the time in which it was compiled and run', () => {
  const send = (requestId: string, url: string, ms: number, resourceType = 'Fetch') =>
    instant('ResourceSendRequest', ms, { requestId, url, resourceType });
  const events = [
    send('a', 'https://u:p@h/rock.ktx2?sig=1', 10),
    instant('ResourceReceiveResponse', 12, {
      requestId: 'a',
      mimeType: 'image/ktx2',
      fromCache: false,
    }),
    instant('ResourceFinish', 30, {
      requestId: 'a',
      encodedDataLength: 900,
      decodedBodyLength: 4096,
      finishTime: us(25) / 1e6,
    }),
    send('b', 'https://h/game.js', 11, 'Script'),
    instant('ResourceReceiveResponse', 12, {
      requestId: 'b',
      mimeType: 'text/javascript',
      fromCache: true,
    }),
    instant('ResourceFinish', 31, {
      requestId: 'b',
      encodedDataLength: 50,
      decodedBodyLength: 7,
      finishTime: 1,
    }),
    send('c', 'https://h/gone', 12),
    instant('ResourceFinish', 14, {
      requestId: 'c',
      didFail: true,
      encodedDataLength: 0,
      decodedBodyLength: 0,
    }),
    send('d', 'data:image/png;base64,AAAA', 12),
    instant('ResourceFinish', 14, { requestId: 'unknown', encodedDataLength: 1 }),
    work('EvaluateScript', 40, 20, { args: { data: { url: 'https://h/game.js' } } }),
    work('v8.compile', 41, 2, { args: { data: { url: 'https://h/game.js' } } }),
    work('v8.compile', 70, 3, { args: { data: { url: 'https://h/late.js' } } }),
  ];
  const asset = (record: Event) => ({ type: 'asset', ...record });
  assert.deepEqual(recordsOf(events, 'asset'), [
    asset({
      t: 10,
      id: 0,
      name: 'https://h/rock.ktx2',
      kind: 'texture',
      phase: 'load',
      bytes: 4096,
      transfer_bytes: 900,
      cached: false,
      duration_ms: 15,
    }),
    asset({
      t: 11,
      id: 1,
      name: 'https://h/game.js',
      kind: 'script',
      phase: 'load',
      bytes: 7,
      transfer_bytes: 0,
      cached: true,
      duration_ms: 20,
    }),
    asset({
      t: 12,
      id: 2,
      name: 'https://h/gone',
      kind: 'data',
      phase: 'load',
      transfer_bytes: 0,
      duration_ms: 2,
    }),
    asset({
      t: 40,
      id: 1,
      name: 'https://h/game.js',
      kind: 'script',
      phase: 'compile',
      duration_ms: 20,
      main_thread_ms: 20,
    }),
    asset({
      t: 70,
      id: 3,
      name: 'https://h/late.js',
      kind: 'script',
      phase: 'compile',
      duration_ms: 3,
      main_thread_ms: 3,
    }),
  ]);
});

test('without an extension or a known media type, the kind of a load depends on what Chrome loaded it for', () => {
  for (const [resourceType, kind] of [
    ['Document', 'other'],
    ['Stylesheet', 'other'],
    ['Manifest', 'other'],
    ['Other', 'other'],
    ['Fetch', 'data'],
    ['XHR', 'data'],
  ] as const) {
    const url = 'https://h/level';
    const sent = instant('ResourceSendRequest', 10, { requestId: 'a', url, resourceType });
    assert.deepEqual(recordsOf([...frames(10, 26), sent], 'asset'), [
      { type: 'asset', t: 10, id: 0, name: url, kind, phase: 'load' },
    ]);
  }
});

test('marks and measures of the page are kept, and those of the browser are not', () => {
  const cat = { cat: 'blink.user_timing' };
  const measure = (ph: string, ms: number) => ({
    ...instant('boot', ms, {}, cat),
    ph,
    id2: { local: '0x2' },
  });
  const events = [
    instant('level', 5, { startTime: 5 }, cat),
    { ...instant('domLoading', 6, {}, cat), ph: 'R', args: { frame: 'F' } },
    measure('b', 8),
    measure('e', 20),
    { ...measure('e', 30), name: 'never began' },
    instant('other page', 5, { startTime: 5 }, { ...cat, pid: 8 }),
    ...frames(10, 20),
  ];
  assert.deepEqual(recordsOf(events, 'mark'), [{ type: 'mark', t: 5, name: 'level' }]);
  assert.deepEqual(recordsOf(events, 'span'), [
    { type: 'span', t: 8, duration_ms: 12, name: 'boot', track: 'user timing' },
  ]);
});

const NODE = (id: number, functionName: string, parent?: number): Event => ({
  id,
  ...(parent !== undefined && { parent }),
  callFrame: {
    functionName,
    ...(functionName.startsWith('(') ? {} : { url: 'https://h/g.js', lineNumber: 9 }),
  },
});
const begin = (id: string, ms: number, tid = 1): Event => ({
  ...instant('Profile', ms, { startTime: us(ms) }, { tid, id }),
  ph: 'P',
});
const chunk = (
  id: string,
  nodes: Event[],
  samples: number[],
  timeDeltas: number[],
  data: Event = {},
): Event => ({
  ...instant(
    'ProfileChunk',
    500,
    { cpuProfile: { nodes, samples }, timeDeltas, ...data },
    { tid: 66, id },
  ),
  ph: 'P',
});

/** Each stack with its time in µs. */
function stacksOf(events: readonly Event[]): string[] {
  const [stacks] = modelOf(JSON.stringify({ traceEvents: [...BASE, ...events] })).stacks;
  assert.ok(stacks !== undefined);
  const { tree } = stacks;
  return Array.from({ length: tree.length }, (_, node) => node)
    .filter((node) => tree.self.at(node) !== 0)
    .map(
      (node) =>
        `${pathOf(tree, node)
          .map((frame) => tree.frames.text(frame))
          .join(';')} ${tree.self.at(node)}`,
    );
}

test('samples arrive in chunks of several profiles, and each thread has its own root', () => {
  const events = [
    chunk('0x2', [NODE(1, '(root)'), NODE(2, 'physics', 1)], [2, 2], [100, 100], {
      endTime: us(10) + 300,
    }),
    begin('0x1', 0),
    begin('0x2', 10, 2),
    chunk(
      '0x1',
      [NODE(1, '(root)'), NODE(2, '(idle)', 1), NODE(3, 'frame', 1)],
      [2, 3],
      [100, 400],
    ),
    chunk('0x1', [NODE(4, 'update', 3)], [4, 3, 2], [50, 60, 70]),
    chunk('0x1', [], [4, 4], [1]),
    chunk('0x9', [], [], []),
  ];
  assert.deepEqual(stacksOf(events), [
    'main thread_[M];frame g.js:10_[S] 120',
    'main thread_[M];frame g.js:10_[S];update g.js:10_[S] 60',
    'DedicatedWorker thread 2;physics g.js:10_[S] 200',
  ]);
  const losses = recordsOf(events, 'loss');
  assert.deepEqual(losses, [{ type: 'loss', t: 0, reason: 'unreadable_events', count: 1 }]);
});

test('without thread names, the only profile is that of the main thread', () => {
  const events = [begin('0x1', 0, 5), chunk('0x1', [NODE(1, 'f')], [1, 1], [0, 90])];
  const [stacks] = modelOf(JSON.stringify(events)).stacks;
  assert.equal(stacks?.tree.frames.text(0), 'main thread_[M]');
});

test('a full buffer and events that cannot be read are losses', () => {
  const events: unknown[] = [
    ...BASE,
    ...frames(10, 26),
    instant('TraceBufferFull', 30),
    { ph: 'X', ts: 1 },
    { name: 'RunTask', ph: 'X', ts: 'soon' },
    null,
    5,
    { name: 'RunTask', ph: 'X', ts: 1e300 },
  ];
  const text = JSON.stringify({ traceEvents: events }).replace('null,5', '{"name":tru},5');
  const { lines, conversion } = convert(text);
  assert.deepEqual(
    lines.filter(({ type }) => type === 'loss'),
    [
      { type: 'loss', t: 30, reason: 'buffer_full' },
      { type: 'loss', t: 0, reason: 'unreadable_events', count: 5 },
    ],
  );
  assert.deepEqual(conversion, { torn: false, unreadable: 5 });
});

test('hostile names and numbers give a valid trace without private parts', () => {
  const long = 'x'.repeat(100_000);
  const events = [
    thread(1, `/home/me/${long}`),
    ...frames(10, 26),
    ...frames(9e12, 9.1e12),
    work('RunTask', 1, 8e12),
    work('Layout', 5, 9.007e12),
    instant('ResourceSendRequest', 1, {
      requestId: 'a',
      url: `https://u:p@h/${long}?k=1`,
      resourceType: 5,
    }),
    work('FunctionCall', 2, 60, {
      args: { data: { functionName: `\u0000${long}`, url: 'file:///home/me/a.js' } },
    }),
    work('EvaluateScript', 1, 60, { args: { data: { url: ['x'] } } }),
    { ...begin('0x1', 0, 3), id: { toString: 1 } },
    begin('0x2', 0, 2),
    chunk('0x2', [NODE(1, long)], [1, 1], [0, 1e15]),
    instant('m', 1, { startTime: 1 }, { cat: 'blink.user_timing', name: 'at C:\\Users\\me\\a.js' }),
  ];
  const { vpt } = convert(JSON.stringify(events.concat(BASE)));
  assert.doesNotMatch(vpt, /home\/me|Users|u:p@|k=1/);
  assert.ok(vpt.split('\n').every((line) => line.length < 1_000_000));
});

test('a trace without anything of a page is rejected, and nothing is emitted', () => {
  for (const [text, message] of [
    ['{"traceEvents":[]}', /it has no events/],
    ['{"traceEvents":', /it has no events/],
    [JSON.stringify([thread(1, 'CrRendererMain'), work('Other', 1, 1)]), /none of its 2 events/],
  ] as const) {
    let emitted = '';
    const converter = new ChromeConverter((line) => {
      emitted += line;
    });
    converter.push(new TextEncoder().encode(text));
    assert.throws(() => converter.finish(), { name: 'TraceError', code: 'not_a_profile', message });
    assert.equal(emitted, '');
  }
});

test('the same events in any chunks give the same bytes', () => {
  const text = JSON.stringify({
    traceEvents: [
      ...BASE,
      ...frames(10, 26, 100),
      begin('0x1', 1),
      chunk('0x1', [NODE(1, 'f')], [1, 1], [5, 90]),
    ],
  });
  const whole = convert(text).vpt;
  assert.ok(whole.includes('"stacks"' satisfies `"${StacksRecord['type']}"`));
  for (const size of [1, 7, 100]) assert.equal(convert(text, size).vpt, whole);
});
