// The sentences about leaks, from traces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import {
  aliveText,
  growingAssetText,
  leakAnswer,
  leakNotes,
  repeatText,
  seriesText,
  stepText,
} from './leak-text.ts';
import { leaksOf } from './leaks.ts';

const MIB = 1_048_576;
const derive = (text: string) => leaksOf(modelOf(traceFromText(text)));
/** Loads with an asset of the given sizes in MiB after each. */
const loads = (sizes: readonly number[], more = '') =>
  derive(
    `browser\n0 release nothing\n${more}\n${sizes
      .map(
        (size, i) => `${i * 5000} span 500 load loading
        ${i * 5000 + 1} asset 1 sky texture upload gpu_bytes=${size * MIB}`,
      )
      .join('\n')}\n${sizes.length * 5000} end off`,
  );
const rising = (from: number, by: number): string =>
  Array.from({ length: 60 }, (_, i) => from + i * by * MIB).join(' ');

test('the answer is what each load leaves, with the assets that grow most', () => {
  const leaks = loads([1, 19, 37]);
  assert.equal(
    leakAnswer(leaks),
    'Each “load” leaves 18.0 MiB of GPU memory (2 comparisons, +18.0 MiB each). Most of it: sky (18.0 MiB each).',
  );
  assert.deepEqual(leakNotes(leaks), []);
  const [repeat] = leaks.repeats;
  const [asset] = repeat?.assets ?? [];
  assert.equal(
    asset && growingAssetText(asset),
    'sky: +18.0 MiB each time, 36.0 MiB since the first, 1 asset',
  );
});

test('the answer names two assets, and one that grew in some loads with its total', () => {
  const others = [1, 2, 3].map(
    (i) => `${i * 5000 - 4000} asset 2 rock texture upload gpu_bytes=${i > 1 ? 9 * MIB : 0}
      ${i * 5000 - 4000} asset 3 ice texture upload gpu_bytes=${i * MIB}`,
  );
  assert.match(
    leakAnswer(loads([1, 19, 37], others.join('\n'))),
    / Most of it: sky \(18\.0 MiB each\), rock \(9\.0 MiB since the first\)\.$/,
  );
});

test('a repeat is described by its comparisons', () => {
  const textOf = (...sizes: number[]) => {
    const [repeat] = loads(sizes).repeats;
    return repeat && repeatText(repeat);
  };
  assert.equal(
    textOf(0, 1, 3, 4),
    'Each “load” leaves 1.0 MiB of GPU memory (3 comparisons, 75 % interval +1.0 MiB to +2.0 MiB).',
  );
  assert.equal(
    textOf(1, 3),
    'The second “load” left 2.0 MiB more GPU memory than the first. Repeat it a third time to see whether each one does.',
  );
  assert.equal(
    textOf(2, 2, 1),
    '“load” leaves no GPU memory (2 comparisons, 50 % interval −1.0 MiB to 0 B).',
  );
  assert.equal(textOf(3, 1), '“load” leaves no GPU memory (1 comparison, −2.0 MiB each).');
  assert.equal(
    textOf(1, 1 + 1 / 32, 1 + 1 / 16),
    'Each “load” leaves only 32.0 KiB of GPU memory (2 comparisons, +32.0 KiB each). Less than 64.0 KiB does not count as a leak.',
  );
  assert.match(textOf(1, 3, 3) ?? '', /^“load” does not leave GPU memory each time /);
  assert.match(textOf(0, 1, 2, 3, 4, 6) ?? '', / \(5 comparisons, 93 % interval \+1\.0 MiB to /);
  assert.equal(
    textOf(1, 2, 1),
    '“load” does not leave GPU memory each time (2 comparisons, 50 % interval −1.0 MiB to +1.0 MiB).',
  );
});

test('without leaking assets, the answer is the memory series that grows with each load', () => {
  const samples = [0, 1, 2, 3].map((i) => `${i * 5000 + 1000} process rss ${i * 2 * MIB}*3`);
  const leaks = derive(
    `native\n0 counter js_heap_bytes bytes 5*20\n${samples.join('\n')}\n${[0, 1, 2, 3].map((i) => `${i * 5000} mark level`).join('\n')}\n20000 end off`,
  );
  assert.equal(
    leakAnswer(leaks),
    'Each “level” leaves memory: RSS +2.0 MiB (3 comparisons, +2.0 MiB each).',
  );
  const [repeat] = leaks.repeats;
  assert.equal(repeat && repeatText(repeat), '“level” occurred 4 times.');
  assert.deepEqual(repeat?.series.map(stepText), [
    'RSS +2.0 MiB (3 comparisons, +2.0 MiB each)',
    'JS heap 0 B (3 comparisons, 0 B each)',
  ]);
});

test('of a span and a mark with the same growth of memory, the answer names the span', () => {
  const rss = [0, 10, 20, 30, 40.8].map(
    (mib, i) => `${i * 5000 + 1000} process rss ${Math.round(mib * MIB)}*3`,
  );
  const names = [0, 1, 2, 3, 4].map((i) =>
    [`${i * 5000} span 100 load`, ...(i === 0 ? [] : [`${i * 5000} mark started`])].join('\n'),
  );
  const { repeats, ...leaks } = derive(`native\n${[...rss, ...names].join('\n')}\n25000 end off`);
  assert.match(
    leakAnswer({ ...leaks, repeats: repeats.toReversed() }),
    /^Each “load” leaves memory/,
  );
});

test('without leaking loads, the answer is the steepest series that keeps growing', () => {
  const leaks = derive(
    `native\n0 process rss ${rising(0, 1)}\n0 counter js_heap_bytes bytes ${rising(0, 2)}`,
  );
  assert.equal(
    leakAnswer(leaks),
    'JS heap keeps growing: +120 MiB a minute (95 % interval +120 MiB to +120 MiB).',
  );
  const flat = derive(`native\n0 process rss ${rising(MIB, 0)}`);
  assert.deepEqual(flat.series.map(seriesText), [
    'RSS does not keep growing: 0 B a minute (95 % interval 0 B to 0 B).',
  ]);
  assert.equal(
    seriesText({ label: 'PSS', source: 'native', growth: null }),
    'PSS: too few samples for its growth.',
  );
});

test('a trace without releases does not say that everything leaks, but how to record them', () => {
  const leaks = derive('browser\n1 asset 1 sky texture upload gpu_bytes=64');
  assert.equal(
    leakAnswer(leaks),
    'This trace does not record releases, so it does not show which assets leak.',
  );
  const notes = leakNotes(leaks);
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? '', /^To see which assets are never released, record .* svc record /);
});

test('a trace without repeated loads says what is alive, and how to compare loads', () => {
  const one = derive(`browser\n0 release x\n123400 asset 1 sky texture upload gpu_bytes=2048
    123500 release 1 gpu_bytes=1024`);
  assert.match(
    leakAnswer(one),
    /^1 asset with 1\.0 KiB of GPU memory is alive at the end\. The game may still use it: /,
  );
  assert.deepEqual(one.alive?.assets.map(aliveText), [
    'sky: 1.0 KiB since 123.4 s, 1 object released before',
  ]);
  assert.match(leakNotes(one).join(), /^No span or mark occurs twice .* svc\.span\('load level'/);
  const two = derive(`browser\n0 release x\n1 asset 1 sky texture upload gpu_bytes=5
    1 asset 2 sea texture upload gpu_bytes=5`);
  assert.match(leakAnswer(two), /^2 assets with 10 B of GPU memory are alive .* still use them: /);
  assert.equal(two.alive?.assets.map(aliveText)[0], 'sea: 5 B since 0 s');
  assert.equal(
    leakAnswer(derive('browser\n0 counter gpu_bytes bytes 5 0')),
    'Nothing leaks: no asset has GPU memory at the end.',
  );
});

test('repeats that do not leak are the answer, before what is alive', () => {
  assert.match(
    leakAnswer(loads([5, 5, 5])),
    /^“load” leaves no GPU memory \(2 comparisons, 0 B each\)\.$/,
  );
});

test('notes state that a recording is too short, or lost its start', () => {
  const short = derive('browser\n0 counter js_heap_bytes bytes 1 2 3');
  assert.match(
    leakNotes(short).join('\n'),
    /\nThe recording is too short .* 24 samples over 30 s /,
  );
  const long = derive(`native\n0 process rss ${rising(0, 1)}\n0 counter gpu_bytes bytes 1`);
  assert.doesNotMatch(leakNotes(long).join('\n'), /too short/);
  assert.match(
    leakNotes(derive('browser\n0 loss storage_cap 9')).join('\n'),
    /start .* was dropped/,
  );
});

test('a native process is judged by its memory only', () => {
  const rss = (count: number): string =>
    `native\n0 process rss ${Array.from({ length: count }, () => 100_000_000).join(' ')}`;
  const short = leaksOf(modelOf(traceFromText(rss(5))));
  assert.equal(
    leakAnswer(short),
    'The recording is too short to show whether the memory of the process grows.',
  );
  assert.deepEqual(
    leakNotes(short).map((note) => note.slice(0, 26)),
    ['The recording is too short'],
  );
  const long = leaksOf(modelOf(traceFromText(rss(90))));
  assert.equal(leakAnswer(long), 'The memory of the process does not keep growing.');
  assert.deepEqual(leakNotes(long), []);
  const both = `native browser
    0 native:process rss=5 cpu=1
    0 browser:counter js_heap_bytes bytes 5`;
  assert.match(leakAnswer(leaksOf(modelOf(traceFromText(both)))), /does not record releases/);
});
