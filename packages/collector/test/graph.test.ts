// The bars of the overlay's graph: height, position, and colour by the budget.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BARS, makeGraph } from '../src/overlay/graph.ts';
import { RecentFrames } from '../src/overlay/readings.ts';
import { setGlobal } from './recorded.ts';

test('each frame is a bar, newest at the right, at most three budgets high, coloured by the budget', (t) => {
  const filled: unknown[][] = [];
  const context = {
    fillStyle: '',
    clearRect: () => filled.splice(0),
    fillRect(x: number, y: number, width: number, height: number): void {
      filled.push([
        this.fillStyle,
        ...[x, y, width, height].map((one) => Math.round(one * 10) / 10),
      ]);
    },
  };
  const canvas = { width: 0, height: 0, getContext: () => context };
  setGlobal(t, 'getComputedStyle', () => ({ getPropertyValue: (name: string) => name }));
  const graph = Reflect.apply(makeGraph, undefined, [canvas, {}]);
  graph.readColours();
  assert.deepEqual([canvas.width, canvas.height], [296, 56]);
  const frames = new RecentFrames(BARS * 2);
  for (const ms of [100, 20.1, 20, 11.1, 11, 10]) frames.add(ms);
  graph.draw(frames, 10);
  const line = ['--dim', 0, 37.3, 296, 1];
  assert.deepEqual(filled, [
    ['--good', 293.5, 37.3, 1.5, 18.7],
    ['--good', 291.1, 35.5, 1.5, 20.5],
    ['--over', 288.6, 35.3, 1.5, 20.7],
    ['--over', 286.1, 18.7, 1.5, 37.3],
    ['--far', 283.7, 18.5, 1.5, 37.5],
    ['--far', 281.2, 0, 1.5, 56],
    line,
  ]);
  for (let frame = 0; frame < 200; frame++) frames.add(10);
  graph.draw(frames, 10);
  assert.equal(filled.length, BARS + 1);
  assert.deepEqual(filled.at(-1), line);
});

test('the graph has as many pixels as the screen, at most two per CSS pixel', (t) => {
  const context = {};
  for (const [ratio, width, height] of [
    [1.5, 444, 84],
    [2, 592, 112],
    [3, 592, 112],
    [undefined, 296, 56],
  ] as const) {
    setGlobal(t, 'devicePixelRatio', ratio);
    const canvas = { width: 0, height: 0, getContext: () => context };
    Reflect.apply(makeGraph, undefined, [canvas, {}]);
    assert.deepEqual([canvas.width, canvas.height], [width, height]);
  }
});

test('without a canvas context nothing is drawn', () => {
  const canvas = { width: 0, height: 0, getContext: () => null };
  const graph = Reflect.apply(makeGraph, undefined, [canvas, {}]);
  graph.readColours();
  graph.draw(new RecentFrames(4), 10);
});
