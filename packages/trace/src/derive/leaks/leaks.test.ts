// What a trace shows about leaks: the assets at its end, repeated loads, and memory by time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { leaksOf } from './leaks.ts';

const derive = (text: string) => leaksOf(modelOf(traceFromText(text)));

test('assets with GPU memory at the end are alive, the largest first, of the same size the earliest', () => {
  const { alive, releases, end_ms } = derive(`browser
    100 asset 1 rock texture upload gpu_bytes=64 bytes=9
    200 asset 2 sky texture upload gpu_bytes=500
    300 asset 3 gone texture upload gpu_bytes=80
    400 asset 4 song audio decode bytes=70
    500 asset 5 b texture upload gpu_bytes=64
    500 asset 6 a texture upload gpu_bytes=64
    600 release 3 gpu_bytes=0
    700 release 2 gpu_bytes=100 count=2
    1000 end off`);
  assert.deepEqual([releases, end_ms, alive?.gpu_bytes], [3, 1000, 292]);
  assert.deepEqual(
    alive?.assets.map((one) => [one.name, one.gpu_bytes, one.bytes, one.age_ms, one.releases]),
    [
      ['sky', 100, null, 800, 2],
      ['rock', 64, 9, 900, 0],
      ['a', 64, null, 500, 0],
      ['b', 64, null, 500, 0],
    ],
  );
});

test('a trace without releases and without the counter does not show what is alive', () => {
  const { alive, records_releases, repeats } = derive(`browser
    100 asset 1 rock texture upload gpu_bytes=64
    0 span 10 load loading
    5000 span 10 load loading`);
  assert.deepEqual([alive, records_releases], [null, false]);
  assert.deepEqual(
    repeats.map(({ gpu, leaks, assets, loads }) => [gpu, leaks, assets, loads.length]),
    [[null, false, [], 2]],
  );
});

test('the counter of GPU memory shows that releases are recorded, for its own source only', () => {
  const { alive, records_releases, releases } = derive(`browser native
    100 browser:asset 1 rock texture upload gpu_bytes=64
    100 native:asset 1 disk data load gpu_bytes=9
    200 browser:counter gpu_bytes bytes 64`);
  assert.deepEqual([records_releases, releases], [true, 0]);
  assert.deepEqual(
    alive?.assets.map(({ name }) => name),
    ['rock'],
  );
});

test('repeats that leak come first, the largest growth first', () => {
  const line = (name: string, i: number, bytes: number) => {
    const t = i * 30_000;
    return `${t + bytes} span 100 ${name}
      ${t + bytes + 10} asset ${name} ${name} texture upload gpu_bytes=${(i + 1) * bytes * 100}`;
  };
  const all = [0, 1, 2].flatMap((i) => [line('small', i, 2000), line('large', i, 12_000)]);
  const { repeats } = derive(`browser\n1 release x\n0 asset x x texture load\n${all.join('\n')}
    5000 span 9000 calm loading
    95000 span 9000 calm loading`);
  assert.deepEqual(
    repeats.map(({ name, leaks }) => [name, leaks]),
    [
      ['small', true],
      ['large', true],
      ['calm', false],
    ],
  );
});

test('a mark comes before a span only if it leaves over a tenth more', () => {
  // The differences are 100 KiB twice and `last` for the span, and 100 KiB and `last` for the mark, which the first load lacks.
  const order = (last: number) => {
    const loads = [100, 100, 100, last].map(
      (kib, i) => `${i * 10_000 + 1000} span 1000 level
        ${i === 0 ? '' : `${i * 10_000 + 1000} mark started`}
        ${i * 10_000 + 2000} asset ${i} sky texture upload gpu_bytes=${kib * 1024}`,
    );
    const { repeats } = derive(`browser\n0 release x\n${loads.join('\n')}\n50000 end off`);
    return repeats.map(({ name, gpu }) => `${name} ${(gpu?.median ?? 0) / 1024}`);
  };
  assert.deepEqual(order(120), ['level 100', 'started 110']);
  assert.deepEqual(order(124), ['started 112', 'level 100']);
});

test('each memory series has its growth, or null if it is too short', () => {
  const values = Array.from({ length: 60 }, (_, i) => i * 1_048_576).join(' ');
  const { series } = derive(`native
    0 process rss ${values}
    0 counter gpu_bytes bytes 1 2 3
    0 counter page_memory_bytes bytes 5`);
  assert.deepEqual(
    series.map(({ label, growth }) => [label, growth?.grows, growth?.slope_per_minute.slope]),
    [
      ['RSS', true, 60 * 1_048_576],
      ['GPU memory', undefined, undefined],
      ['page memory', undefined, undefined],
    ],
  );
});

test('repeats that do not leak are in order of their growth', () => {
  const { repeats } = derive(`browser
    0 release nothing
    1 asset 1 rock texture upload gpu_bytes=100
    26000 asset 1 rock texture upload gpu_bytes=1000
    100 mark more
    10000 span 10 same
    20000 span 10 same
    30000 mark more
    60000 end off`);
  assert.deepEqual(
    repeats.map(({ name, gpu }) => [name, gpu?.median]),
    [
      ['more', 900],
      ['same', 0],
    ],
  );
});

test('a series with some known values is listed, and one without any is not', () => {
  const { series } = derive('native\n0 process rss=1\n1000 process rss=1 pss=2');
  assert.deepEqual(
    series.map(({ label }) => label),
    ['RSS', 'PSS'],
  );
  assert.equal(derive('native\n0 process rss=1').series.length, 1);
});

test('a dropped start of the recording is reported', () => {
  assert.equal(derive('browser\n0 loss storage_cap 10').start_is_lost, true);
  assert.equal(derive('browser\n0 loss hidden_tab 10').start_is_lost, false);
});

test('an empty trace has nothing', () => {
  assert.deepEqual(derive('browser'), {
    end_ms: 0,
    records_releases: false,
    releases: 0,
    alive: null,
    repeats: [],
    series: [],
    start_is_lost: false,
  });
});
