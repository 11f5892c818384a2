// The GPU memory of assets over time, from their records and releases.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { assetLevels } from './asset-levels.ts';

const levelsOf = (text: string) => assetLevels(modelOf(traceFromText(text)));

test('an asset has the sizes of its records and releases, and may get memory again', () => {
  const [rock, ...others] = levelsOf(`browser
    30 release 1 gpu_bytes=0 count=2
    10 asset 1 rock texture upload gpu_bytes=64
    20 asset 1 rock texture decode bytes=500
    40 asset 1 rock texture upload gpu_bytes=32
    50 release 1 bytes=0`);
  assert.deepEqual(others, []);
  assert.deepEqual(rock, {
    id: 1,
    source: 'browser',
    name: 'rock',
    kind: 'texture',
    first_ms: 10,
    gpu: { t: [10, 30, 40], value: [64, 0, 32] },
    bytes: 0,
    releases: 3,
  });
});

test('a release counts after an asset record of the same time', () => {
  const [rock] = levelsOf(`browser
    10 release 1 gpu_bytes=0
    10 asset 1 rock texture upload gpu_bytes=64`);
  assert.deepEqual(rock?.gpu, { t: [10], value: [0] });
});

test('a release without an earlier asset record is ignored', () => {
  assert.deepEqual(levelsOf('browser\n 10 release 1 gpu_bytes=0'), []);
  const [rock] = levelsOf(`browser
    10 release 1 gpu_bytes=7
    11 asset 1 rock texture load`);
  assert.deepEqual([rock?.gpu.t, rock?.releases], [[], 0]);
});

test('assets of another source or type of id differ, and the name is that of the latest named record', () => {
  const [renamed] = levelsOf(`browser
    1 asset 1 a texture load
    2 asset 1 b mesh decode`);
  assert.deepEqual([renamed?.name, renamed?.kind], ['b', 'mesh']);
  const found = levelsOf(`browser native
    1 browser:asset 1 a texture load
    2 native:asset 1 b data load
    3 browser:asset 1 c mesh named
    4 browser:asset 1 d texture upload gpu_bytes=8
    5 native:release 1 gpu_bytes=3`);
  assert.deepEqual(
    found.map(({ source, name, kind, gpu }) => [source, name, kind, gpu.value]),
    [
      ['browser', 'c', 'mesh', [8]],
      ['native', 'b', 'data', [3]],
    ],
  );
});
