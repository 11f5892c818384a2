// Profiles, frame logs and compressed files in the worker.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { vptOf } from '../../test/build-trace.ts';
import { deriveMoment } from '../views/moment/derive-moment.ts';
import { WHOLE } from '../views/stacks/derive/query.ts';
import { shownTree } from '../views/stacks/derive/select-tree.ts';
import { recordedScene } from '../views/stacks/draw/make-scene.ts';
import { fetchMore } from './fetch-trace.ts';
import { type Job, loadTrace } from './load.ts';
import { convert, vptBytes } from './vpt-bytes.ts';

const PROFILE = JSON.stringify({
  nodes: [
    { id: 1, callFrame: { functionName: 'frame', url: 'http://h/g.js', lineNumber: 4 } },
    { id: 2, callFrame: { functionName: 'stall', url: 'http://h/g.js', lineNumber: 9 }, parent: 1 },
  ],
  startTime: 0,
  endTime: 100_000,
  samples: [1, 2, 1],
  timeDeltas: [10_000, 10_000, 60_000],
});
const job: Job = { signal: new AbortController().signal, progress: () => undefined };
const fileOf = (content: string | Uint8Array<ArrayBuffer>, name = 'a') =>
  ({ kind: 'file', id: 'file-1', file: new Blob([content]), name }) as const;
const zipped = (text: string) => new Uint8Array(gzipSync(text));

test('a profile opens with its own format, plain and compressed, and is exported as .vpt', async () => {
  const exported: string[] = [];
  for (const [content, compressed] of [
    [PROFILE, false],
    [zipped(PROFILE), true],
  ] as const) {
    const trace = await loadTrace(fileOf(content), job, fetchMore);
    const { format, producer, partial, durationMs, counts } = trace.info;
    assert.deepEqual(
      [format, producer, partial, durationMs, counts, trace.info.compressed],
      ['cpuprofile', 'svc chrome import 1', false, 100, { stacks: 1, end: 1 }, compressed],
    );
    exported.push(await (await vptBytes(trace, [], job)).text());
  }
  assert.equal(exported[0], exported[1]);
  assert.match(exported[0] ?? '', /^\{"vpt":1.*"stall g\.js:10".*"converted"\}\n$/s);
});

test('a frame log opens with its own format', async () => {
  const log = 'fps,frametime,elapsed\n60,16,16000000\n12,80,96000000\n';
  const trace = await loadTrace(fileOf(log), job, fetchMore);
  const { format, producer, durationMs, counts } = trace.info;
  assert.deepEqual(
    [format, producer, durationMs, counts],
    ['mangohud', 'svc frame log import 1', 96, { frames: 1, end: 1 }],
  );
  assert.match(await (await vptBytes(trace, [], job)).text(), /"duration_ms":\[16,80\]/);
});

test('a compressed .vpt file is exported and converted expanded', async () => {
  const text = vptOf({ type: 'mark', t: 1, name: 'a' });
  const origin = fileOf(zipped(text));
  const trace = await loadTrace(origin, job, fetchMore);
  assert.equal(trace.info.format, 'vpt');
  assert.equal(await (await vptBytes(trace, [], job)).text(), text);
  assert.equal(await (await convert(origin.file, job)).text(), text);
});

test('a compressed file that was cut off opens as partial, and a damaged one is rejected', async () => {
  const events = [10, 26, 42].map((ms) => ({ name: 'FireAnimationFrame', ph: 'X', ts: ms * 1000 }));
  const bytes = gzipSync(JSON.stringify(events), { level: 0 });
  const trace = await loadTrace(fileOf(new Uint8Array(bytes.subarray(0, -30))), job, fetchMore);
  assert.deepEqual([trace.info.format, trace.info.partial], ['chrome', true]);
  assert.equal(trace.model.frames.length, 1);
  const damaged = new Uint8Array(bytes);
  damaged[3] = 0xff;
  damaged.fill(0xee, 10, 30);
  await assert.rejects(loadTrace(fileOf(damaged), job, fetchMore), {
    code: 'not_a_profile',
    message: /damaged/,
  });
});

test('a moment and the order of recording contain exactly the time in the range', async () => {
  const { model } = await loadTrace(fileOf(PROFILE), job, fetchMore);
  const range = { from: 15, to: 50 };
  const [found] = deriveMoment(model, range, 1000 / 60).stacks;
  assert.deepEqual([found?.unit, found?.of], ['ms', range]);
  const [stacks] = model.stacks;
  assert.ok(stacks !== undefined);
  const scene = recordedScene(stacks, shownTree(stacks.tree), { ...WHOLE, range });
  assert.equal(scene.layout.span, 35_000);
});
