// The asset cost report of traces with several sources, of all phases, and of files that are not traces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TraceError } from '../../format/errors.ts';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { assetReportOf } from './asset-report.ts';
import { assetReportOfModel } from './report-model.ts';

const reportOf = (text: string, budget = 10) =>
  assetReportOf([new TextEncoder().encode(traceFromText(text))], budget);

test('a frame is not counted under a loss of its own source only, and belongs to work of its source', async () => {
  const { assets } = await reportOf(`browser native
    0 browser:frames 30
    0 native:frames 40
    5 native:loss late_sampler 5
    0 browser:asset 1 a texture upload main_thread_ms=10
    0 native:asset 1 b texture read main_thread_ms=10
  `);
  assert.deepEqual(
    assets.map(({ source, name, hitch_ms, hitches }) => [source, name, hitch_ms, hitches]),
    [
      ['browser', 'a', 20, 1],
      ['native', 'b', 0, 0],
    ],
  );
});

test('reads count as loads, and compiles as decodes', async () => {
  const { assets } = await reportOf(`browser
    0 asset 1 a data load duration_ms=1
    0 asset 1 a data read duration_ms=2
    0 asset 1 a data decode duration_ms=4
    0 asset 1 a data compile duration_ms=8
    0 asset 1 a data upload duration_ms=16
  `);
  const [{ load_ms, decode_ms, upload_ms } = assert.fail()] = assets;
  assert.deepEqual([load_ms, decode_ms, upload_ms], [3, 12, 16]);
});

test('a frame that is barely over budget counts in the report of a model as in that of the bytes', async () => {
  const text = `browser
    0 frames 10.2
    0 asset 1 a texture upload main_thread_ms=5
  `;
  const ofBytes = await reportOf(text);
  assert.equal(ofBytes.assets[0]?.hitches, 1);
  assert.deepEqual(assetReportOfModel(modelOf(traceFromText(text)), 10), ofBytes);
});

test('width and height are of the same record, and an asset that is marked as not opaque is not', async () => {
  const asset = { type: 'asset', id: 1, name: 'a', kind: 'texture', phase: 'upload' };
  const header = { vpt: 1, producer: { name: 't', version: '0' }, started_at: null };
  const lines = [
    { ...header, sources: ['browser'] },
    { ...asset, t: 9, dims: [3000, 4000] },
    { ...asset, t: 5, dims: [500, 600], opaque: false },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const ofBytes = await assetReportOf([new TextEncoder().encode(text)], 10);
  assert.deepEqual(ofBytes, assetReportOfModel(modelOf(text), 10));
  const [{ advice } = assert.fail()] = ofBytes.assets;
  assert.deepEqual(
    advice.map(({ code, text: sentence }) => [code, /\d+ × \d+/.exec(sentence)?.[0]]),
    [['large_texture', '3000 × 4000']],
  );
});

test('advice about reads is the same for a model and for its bytes, and mapped reads are no calls', async () => {
  const text = `browser
    0 asset 1 again data load encoded_bytes=5000000
    1 asset 1 again data read read_bytes=20000000 count=4000
    0 asset 2 once data load encoded_bytes=5000000
    1 asset 2 once data read read_bytes=5000000
    2 asset 3 mapped data read read_bytes=4000000 count=4000 mapped=
    3 asset 4 each data read read_bytes=100
  `;
  const ofBytes = await reportOf(text);
  assert.deepEqual(ofBytes, assetReportOfModel(modelOf(traceFromText(text)), 10));
  assert.deepEqual(
    ofBytes.assets.map(({ name, read_bytes, advice }) => [
      name,
      read_bytes,
      ...advice.map(({ code }) => code),
    ]),
    [
      ['again', 20_000_000, 'read_again', 'small_reads'],
      ['each', 100],
      ['mapped', 4_000_000],
      ['once', 5_000_000],
    ],
  );
});

test('a report of bytes lists every asset', async () => {
  const lines = Array.from({ length: 600 }, (_, id) => `0 asset ${id} a${id} data load`);
  const { assets, left_out } = await reportOf(`browser\n${lines.join('\n')}\n`);
  assert.deepEqual([assets.length, left_out], [600, 0]);
});

test('bytes that are not a trace, or none, are rejected', async () => {
  for (const text of ['', 'main;draw 3\n', '{"vpt":1']) {
    await assert.rejects(assetReportOf([new TextEncoder().encode(text)]), TraceError, text);
  }
});
