// Spans and marks that occur at least twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { repeatsOf } from './repeats.ts';

const repeats = (text: string) => repeatsOf(modelOf(traceFromText(text)));
const namesOf = (text: string) => repeats(text).map(({ name }) => name);

test('a name that occurs twice is a repeat, with the times of its occurrences', () => {
  assert.deepEqual(
    repeats(`browser
      5000 span 300 load loading
      1000 span 500 load loading
      9000 span 1 once loading
      7000 mark level`),
    [
      {
        kind: 'span',
        source: 'browser',
        name: 'load',
        track: 'loading',
        occurrences: [
          { from_ms: 1000, to_ms: 1500 },
          { from_ms: 5000, to_ms: 5300 },
        ],
      },
    ],
  );
});

test('occurrences with less than a second in between are one', () => {
  const [load] = repeats(`browser
    0 span 900 load
    100 span 100 load
    1899 span 100 load
    2999 span 10 load
    9000 span 10 load`);
  assert.deepEqual(load?.occurrences, [
    { from_ms: 0, to_ms: 1999 },
    { from_ms: 2999, to_ms: 3009 },
    { from_ms: 9000, to_ms: 9010 },
  ]);
  const frames = Array.from({ length: 50 }, (_, i) => `${i * 16} span 5 update`).join('\n');
  assert.deepEqual(namesOf(`browser\n${frames}`), [], 'work of every frame is no repeat');
});

test('spans on the track of loads come first, then the longest, then marks', () => {
  assert.deepEqual(
    namesOf(`browser
      0 mark level
      0 span 10 short
      0 span 50 long
      0 span 1 load loading
      5000 mark level
      5000 span 10 short
      5000 span 50 long
      5000 span 1 load loading`),
    ['load', 'long', 'short', 'level'],
  );
});

test('the browser’s own work is no repeat', () => {
  const tracks = ['gc', 'rendering', 'gpu process', 'image decode'];
  for (const track of tracks) {
    const line = (t: number) =>
      JSON.stringify({ type: 'span', t, duration_ms: 5, name: 'x', track });
    const model = modelOf(`${traceFromText('browser')}${line(0)}\n${line(5000)}\n`);
    assert.deepEqual(repeatsOf(model), [], track);
  }
});

test('the same name on another track, of another source or as a mark is another repeat', () => {
  const lines = (t: number) => `${t} browser:span 1 load a
    ${t} browser:span 1 load b
    ${t} native:span 1 load a
    ${t} browser:mark load`;
  assert.equal(namesOf(`browser native\n${lines(0)}\n${lines(2000)}`).length, 4);
});

test('at most 32 names are compared', () => {
  const lines = Array.from(
    { length: 40 },
    (_, i) => `0 span ${i + 1} n${i}\n5000 span ${i + 1} n${i}`,
  );
  const names = namesOf(`browser\n${lines.join('\n')}`);
  assert.deepEqual([names.length, names[0], names.at(-1)], [32, 'n39', 'n8']);
});
