// What a game did during its hitches, by its spans and marks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { type Situation, Situations } from './situations.ts';

function situation(text: string, ...hitches: (readonly [number, number])[]): Situation | null {
  const model = modelOf(traceFromText(`browser\n${text}\n1000 mark last\n1000 end off`));
  const all = hitches.map(([start_ms, duration_ms]) => ({ start_ms, duration_ms }));
  return new Situations(model).common(all);
}

test('a span of the game that holds most hitches is their situation', () => {
  const text = '100 span 300 loading';
  assert.deepEqual(situation(text, [100, 50], [350, 50]), { relation: 'during', name: 'loading' });
  const four: [number, number][] = [100, 150, 200, 250].map((t) => [t, 40]);
  assert.equal(situation(text, ...four, [500, 50])?.name, 'loading', 'four of five');
  assert.equal(situation(text, ...four.slice(1), [500, 50]), null, 'three of four');
});

test('a hitch is in a span if half of it is', () => {
  const text = '100 span 100 loading';
  assert.equal(situation(text, [75, 50])?.name, 'loading');
  assert.equal(situation(text, [74, 50]), null);
  assert.equal(situation(text, [175, 50])?.name, 'loading');
  assert.equal(situation(text, [176, 50]), null);
  assert.equal(situation(text, [200, 50]), null);
});

test('a mark is the situation until the next mark', () => {
  const text = '0 mark menu\n200 mark level\n600 mark boss';
  assert.deepEqual(situation(text, [250, 50], [550, 50]), { relation: 'after', name: 'level' });
  assert.deepEqual(situation(text, [700, 50]), { relation: 'after', name: 'boss' });
  assert.equal(situation(text, [250, 50], [700, 50]), null);
});

test('spans of one name count together, and the most specific of several situations is stated', () => {
  const text = '100 span 50 load\n300 span 50 load\n50 span 500 level';
  assert.equal(situation(text, [100, 40], [300, 40])?.name, 'load');
  assert.equal(situation(text, [100, 40], [300, 40], [200, 40])?.name, 'level');
});

test('a hitch within two spans of one name counts once', () => {
  const text = '100 span 50 load\n100 span 50 load';
  assert.equal(situation(text, [100, 40], [300, 40]), null);
});

test('spans of the browser, and what lasts for most of the trace, are no situations', () => {
  for (const track of ['gc', 'rendering']) {
    assert.equal(situation(`100 span 300 work ${track}`, [150, 50]), null, track);
  }
  assert.equal(situation('100 span 300 work user', [150, 50])?.name, 'work');
  assert.equal(situation('0 span 800 game', [150, 50])?.name, 'game');
  assert.equal(situation('0 span 801 game', [150, 50]), null);
  assert.equal(situation('0 span 401 game\n500 span 400 game', [150, 50]), null);
  assert.equal(situation('0 mark start', [150, 50]), null);
});

test('hitches of different lengths and in any order are found', () => {
  const text = '100 span 100 load\n500 span 100 load';
  assert.equal(situation(text, [590, 15], [60, 90], [195, 9])?.name, 'load');
  assert.equal(situation(text, [590, 25], [10, 5], [195, 9]), null);
});
