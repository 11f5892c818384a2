// What each load of a level leaves: by asset, in all, and by memory series.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { leaksOf } from './leaks.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

const repeatOf = (text: string) => {
  const [repeat] = leaksOf(modelOf(traceFromText(text))).repeats;
  assert.ok(repeat);
  return repeat;
};
/** A load every ten seconds, with further lines for each. */
const loads = (count: number, lines: (i: number, t: number) => string): string =>
  `browser\n0 release nothing\n${Array.from({ length: count }, (_, i) => {
    const t = i * 10_000;
    return `${t} span 500 load loading\n${lines(i, t)}`;
  }).join('\n')}\n${count * 10_000} end off`;

test('an asset that grows with each load is named, and one that is released is not', () => {
  const repeat = repeatOf(
    loads(
      3,
      (i, t) => `${t + 100} asset 1 rock texture upload gpu_bytes=${8 * MIB}
        ${t + 200} asset 2 sky texture upload gpu_bytes=${(i + 1) * MIB}
        ${t + 9000} release 1 gpu_bytes=0`,
    ),
  );
  const each = { count: 2, median: MIB, low: MIB, high: MIB, confidence: 0.5 };
  assert.deepEqual([repeat.leaks, repeat.gpu], [true, each]);
  assert.deepEqual(repeat.assets, [
    { name: 'sky', kind: 'texture', source: 'browser', assets: 1, each, total_bytes: 2 * MIB },
  ]);
  assert.deepEqual(
    repeat.loads.map(({ gpu_bytes }) => gpu_bytes),
    [9 * MIB, 10 * MIB, 11 * MIB],
  );
});

test('assets that differ only in the number of the collector are one row', () => {
  const model = modelOf(
    traceFromText(
      loads(
        3,
        (i, t) => `${t} asset ${i + 1} texture_8×8_RGBA8_${i + 1} texture upload gpu_bytes=${MIB}
          ${t} asset ${i + 11} buffer_${i + 1} mesh upload gpu_bytes=${KIB}
          ${t} asset ${i + 21} part_${i + 1} mesh upload gpu_bytes=1`,
      ),
    ),
  );
  const assets = model.assets.map((one) => ({ ...one, name: one.name.replaceAll('_', ' ') }));
  const [repeat] = leaksOf({ ...model, assets }).repeats;
  assert.deepEqual(
    repeat?.assets.map((one) => [one.name, one.assets, one.total_bytes]),
    [
      ['texture 8×8 RGBA8', 3, 2 * MIB],
      ['buffer', 3, 2 * KIB],
      ['part 2', 1, 1],
    ],
  );
});

test('only living assets are counted, and names that the game gave are kept', () => {
  const model = modelOf(
    traceFromText(
      loads(
        4,
        (i, t) => `${t} asset ${i + 1} renderbuffer_4×4_${i + 1} other upload gpu_bytes=${MIB}
          ${t} asset ${i + 11} my_texture_${i + 1} texture upload gpu_bytes=${i + 1}
          ${i === 0 ? '9000 release 1 gpu_bytes=0' : ''}`,
      ),
    ),
  );
  const assets = model.assets.map((one) => ({ ...one, name: one.name.replaceAll('_', ' ') }));
  const [repeat] = leaksOf({ ...model, assets }).repeats;
  assert.deepEqual(
    repeat?.assets.map((one) => [one.name, one.assets, one.total_bytes]),
    [
      ['renderbuffer 4×4', 3, 2 * MIB],
      ['my texture 3', 1, 3],
      ['my texture 2', 1, 2],
    ],
  );
});

test('a pause has the median of its samples in any order', () => {
  const { series } = repeatOf(
    loads(2, (i, t) => `${t + 1000} counter js_heap_bytes bytes ${i === 0 ? '9 1 5' : '30 10 7'}`),
  );
  assert.equal(series[0]?.each.median, 5);
});

test('an asset of the last load is not listed, and one that outlived a later load is', () => {
  const listed = (count: number, releases: readonly number[]) =>
    repeatOf(
      loads(
        count,
        (i, t) => `${t + 1} asset ${i + 1} level${i + 1} texture upload gpu_bytes=${MIB}
          ${releases.includes(i) ? `${t + 9000} release ${i + 1} gpu_bytes=0` : ''}`,
      ),
    ).assets.map(({ name }) => name);
  assert.deepEqual(listed(4, [0, 1, 2]), []);
  assert.deepEqual(listed(4, [0, 2]), ['level2']);
  assert.deepEqual(listed(2, []), ['level2'], 'two loads do not show which it is');
});

test('an asset that each load replaces leaves nothing, whenever the game releases the old one', () => {
  // The game releases the level of the load before: in the pause, during the load, or after it.
  for (const delay of [-1000, 50, 700]) {
    const repeat = repeatOf(
      loads(
        4,
        (i, t) => `${t + 100} asset ${i + 1} level${i} texture upload gpu_bytes=${8 * MIB}
          ${i === 0 ? '' : `${t + delay} release ${i} gpu_bytes=0`}`,
      ),
    );
    assert.equal(repeat.leaks, false, String(delay));
    assert.deepEqual([repeat.gpu?.low, repeat.gpu?.high], [0, 0], String(delay));
  }
});

test('the last pause is as long as the median of the others, and ends with the trace', () => {
  const level = (text: string) => repeatOf(text).loads.map(({ gpu_bytes }) => gpu_bytes);
  const text = (more: string) => `browser
    0 mark level
    10 asset 1 rock texture upload gpu_bytes=50
    10000 mark level
    20000 mark level
    36000 mark level
    ${more}`;
  // The usual pause is 10 s: from 36 s to 46 s.
  assert.deepEqual(level(text('41000 release 1 gpu_bytes=3\n90000 end off')), [50, 50, 50, 3]);
  assert.deepEqual(level(text('41001 release 1 gpu_bytes=3\n90000 end off')), [50, 50, 50, 50]);
  assert.deepEqual(level(text('37000 release 1 gpu_bytes=3\n38000 end off')), [50, 50, 50, 3]);
  assert.deepEqual(level(text('37001 release 1 gpu_bytes=3\n38000 end off')), [50, 50, 50, 50]);
});

test('growth in one comparison, in some, or of less than 64 KiB is no leak', () => {
  const grown = (sizes: readonly number[]) =>
    repeatOf(
      loads(sizes.length, (i, t) => `${t + 1} asset 1 a texture upload gpu_bytes=${sizes[i]}`),
    ).leaks;
  assert.equal(grown([0, MIB]), false, 'one comparison');
  assert.equal(grown([0, MIB, 2 * MIB]), true);
  assert.equal(grown([0, 64 * KIB, 128 * KIB]), true);
  assert.equal(grown([0, 64 * KIB - 1, 128 * KIB - 2]), false);
  assert.equal(grown([MIB, 2 * MIB, 2 * MIB]), false);
  assert.equal(grown([MIB, MIB, 2 * MIB]), false);
  assert.equal(grown([5 * MIB, 4 * MIB, 3 * MIB]), false);
});

test('new assets of a load that outlive the next one are counted', () => {
  const { loads: found } = repeatOf(
    loads(
      3,
      (i, t) => `${t} asset ${i + 1} a texture upload gpu_bytes=100
        ${t + 1} asset ${i + 11} b texture upload gpu_bytes=30
        ${t + 2} asset 50 c texture upload gpu_bytes=7
        ${t + 9000} release ${i + 1} gpu_bytes=0
        ${t + 9000} release 50 gpu_bytes=0`,
    ),
  );
  assert.deepEqual(
    found.map(({ new_assets, kept_assets, kept_bytes }) => [new_assets, kept_assets, kept_bytes]),
    [
      [3, 1, 30],
      [2, 1, 30],
      [2, null, null],
    ],
  );
});

test('the largest growing asset comes first, then by name, and at most 100 are listed', () => {
  const names = ['b', 'a', 'c'];
  const repeat = repeatOf(
    loads(2, (i, t) =>
      names
        .map(
          (name, at) =>
            `${t} asset ${at} ${name} texture upload gpu_bytes=${i * (at === 2 ? 9 : 5)}`,
        )
        .join('\n'),
    ),
  );
  assert.deepEqual(
    repeat.assets.map(({ name, total_bytes }) => [name, total_bytes]),
    [
      ['c', 9],
      ['a', 5],
      ['b', 5],
    ],
  );
  const many = repeatOf(
    loads(2, (i, t) =>
      Array.from(
        { length: 120 },
        (_, at) => `${t} asset ${at} n${at} texture upload gpu_bytes=${i * 5}`,
      ).join('\n'),
    ),
  );
  assert.equal(many.assets.length, 100);
});

test('a series grows if three comparisons agree on at least 1 MiB', () => {
  const grown = (sizes: readonly number[]) => {
    const { series } = repeatOf(
      loads(
        sizes.length,
        (i, t) => `${t + 100} counter js_heap_bytes bytes 999999999
        ${t + 500} counter js_heap_bytes bytes ${sizes[i]}*9`,
      ),
    );
    return series.map(({ label, each, grows }) => [label, each.count, each.median, grows]);
  };
  assert.deepEqual(grown([0, MIB, 2 * MIB, 3 * MIB]), [['JS heap', 3, MIB, true]]);
  assert.deepEqual(grown([0, MIB, 2 * MIB]), [['JS heap', 2, MIB, false]]);
  assert.deepEqual(grown([3, MIB + 2, 2 * MIB + 1, 3 * MIB]), [['JS heap', 3, MIB - 1, false]]);
  assert.deepEqual(grown([MIB, MIB, 3 * MIB, 5 * MIB]), [['JS heap', 3, 2 * MIB, false]]);
});

test('a pause without samples is not compared, and one of marks lasts until the next mark', () => {
  const repeat = repeatOf(`native
    0 mark level
    1000 process rss 10*3 20*4
    10000 mark level
    20000 mark level
    20001 process rss 40
    22000 end off`);
  assert.deepEqual(repeat.series, [], 'no two successive pauses have samples');
  assert.deepEqual([repeat.gpu, repeat.leaks, repeat.assets], [null, false, []]);
  const [level] = leaksOf(
    modelOf(
      traceFromText(`native
        0 mark level
        1000 process rss 10*3 20*4
        10000 mark level
        10000 process rss 40
        21000 end off`),
    ),
  ).repeats;
  assert.deepEqual(level?.series, [
    {
      label: 'RSS',
      each: { count: 1, median: 20, low: 20, high: 20, confidence: 0 },
      grows: false,
    },
  ]);
});
