import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeard } from './changes.ts';

function heardAt(time = { monotonic: 5_000, wall: 9_000_000 }) {
  const clocks = { ...time };
  return { clocks, heard: createHeard(() => ({ ...clocks })) };
}

test('a change gives only its game a new stamp', () => {
  const { heard } = heardAt();
  heard.restart();
  const before = heard.stampOf('goats');
  heard.changed('boats');
  assert.equal(heard.stampOf('goats'), before);
  heard.changed('goats');
  const after = heard.stampOf('goats');
  assert.notEqual(after, before);
  assert.equal(heard.stampOf('goats'), after);
  assert.notEqual(heard.stampOf('boats'), before);
});

test('changes are current from the first beat that comes back until a second after it was sent', () => {
  const { heard, clocks } = heardAt();
  assert.equal(heard.isCurrent(), false);
  const beat = heard.sendBeat();
  assert.equal(heard.isCurrent(), false);
  clocks.monotonic += 400;
  clocks.wall += 400;
  heard.hearBeat(beat);
  assert.equal(heard.isCurrent(), true);
  clocks.monotonic += 599;
  clocks.wall += 599;
  assert.equal(heard.isCurrent(), true);
  clocks.monotonic += 1;
  assert.equal(heard.isCurrent(), false, 'a second after it was sent, not after it came back');
});

test('the clock that counts more decides: a suspended machine, and a wall clock that is set back', () => {
  for (const step of [
    { monotonic: 1_000, wall: 0 },
    { monotonic: 0, wall: 1_000 },
    { monotonic: 1_000, wall: -3_600_000 },
  ]) {
    const { heard, clocks } = heardAt();
    heard.hearBeat(heard.sendBeat());
    assert.equal(heard.isCurrent(), true);
    clocks.monotonic += step.monotonic;
    clocks.wall += step.wall;
    assert.equal(heard.isCurrent(), false, JSON.stringify(step));
  }
});

test('only a beat of this connection counts, once, and later ones replace it', () => {
  const { heard, clocks } = heardAt();
  const old = heard.sendBeat();
  heard.restart();
  heard.hearBeat(old);
  heard.hearBeat(99);
  heard.hearBeat(Number.NaN);
  assert.equal(heard.isCurrent(), false);
  const first = heard.sendBeat();
  clocks.monotonic += 900;
  const second = heard.sendBeat();
  heard.hearBeat(second);
  heard.hearBeat(first);
  clocks.monotonic += 900;
  assert.equal(heard.isCurrent(), true, 'by the second beat');
});

test('a restart gives every game a new stamp, and nothing is current', () => {
  const { heard } = heardAt();
  heard.restart();
  heard.changed('goats');
  heard.hearBeat(heard.sendBeat());
  const before = ['goats', 'boats'].map(heard.stampOf);
  heard.restart();
  assert.equal(heard.isCurrent(), false);
  const after = ['goats', 'boats'].map(heard.stampOf);
  for (const stamp of after) assert.ok(!before.includes(stamp));
});

test('memory is bounded: with too many changed games, every game gets a stamp that it did not have', () => {
  const { heard } = heardAt();
  const seen = new Map<string, number>();
  for (let number = 0; number < 25_000; number++) {
    const slug = `game-${number % 12_000}`;
    heard.changed(slug);
    const stamp = heard.stampOf(slug);
    assert.ok(stamp > (seen.get(slug) ?? -1), `${slug} after ${number} changes`);
    seen.set(slug, stamp);
  }
  const unchanged = heard.stampOf('never');
  heard.changed('last');
  assert.ok(heard.stampOf('last') > unchanged);
  for (const [slug, stamp] of seen) assert.ok(heard.stampOf(slug) >= stamp, slug);
});
