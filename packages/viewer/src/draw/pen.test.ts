import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hatch } from './hatch.ts';
import { canvasPen, svgPen } from './pen.ts';
import { byteStep, roundStep, ticksBetween, timeStep } from './ticks.ts';

test('svgPen replaces characters that XML forbids, and escapes others', () => {
  const pen = svgPen(10, 10, 'white');
  pen.text(1, 2, 'a<b>&"\u0000', 'red', 11);
  const text = pen.finish();
  assert.match(text, /a&lt;b&gt;&amp;&quot;\ufffd/);
  assert.match(text, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
});

test('svgPen interrupts a line at a missing value, and draws a single value as a dot', () => {
  const pen = svgPen(10, 10, 'white');
  pen.line([0, 1, 2, 3], [5, 6, Number.NaN, 7], 'red', 1);
  assert.match(pen.finish(), /d="M0,5L1,6"/);
  assert.match(pen.finish(), /<rect x="1.5" y="5.5" width="3" height="3" fill="red"\/>/);
});

test('steps of axes are round', () => {
  assert.equal(timeStep(1000, 10), 100);
  assert.equal(timeStep(60_000, 10), 10_000);
  assert.equal(timeStep(3_600_000, 10), 600_000);
  assert.equal(roundStep(0.03), 0.05);
  assert.equal(byteStep(100_000_000), 134_217_728);
  assert.deepEqual(ticksBetween(0.5, 3, 1), [1, 2, 3]);
  assert.ok(ticksBetween(0, 1e12, 1).length <= 1000);
});

test('svgPen escapes colours, and omits shapes without a size', () => {
  const pen = svgPen(10, 20, '"><script>');
  pen.rect(0, 0, 0, 5, 'red');
  pen.rect(0, 0, 5, 0, 'red');
  pen.rect(0, 0, 5, -1, 'red');
  pen.rect(1.239, 2, 3, 4, '"a');
  pen.line([], [], 'red', 1);
  pen.area([], [], 0, 'red');
  const text = pen.finish();
  assert.doesNotMatch(text, /<script|"a"|red|<path/);
  assert.match(text, /<rect x="1\.24" y="2" width="3" height="4" fill="&quot;a"\/>/);
  assert.match(text, /width="10" height="20" viewBox="0 0 10 20"/);
});

test('svgPen closes each part of an area at its base, and aligns texts', () => {
  const pen = svgPen(10, 10, 'white');
  pen.area([0, 1, 2, 3], [5, 6, Number.NaN, 7], 9, 'red');
  pen.text(1, 2, 'l', 'red', 11);
  pen.text(1, 2, 'c', 'red', 11, 'center');
  pen.text(1, 2, 'r', 'red', 11, 'right');
  const text = pen.finish();
  assert.match(text, /d="M0,9L0,5L1,6L1,9ZM3,9L3,7L3,9Z"/);
  assert.deepEqual(
    [...text.matchAll(/text-anchor="(\w+)"[^>]*>(\w)</g)].map(([, anchor, which]) => [
      which,
      anchor,
    ]),
    [
      ['l', 'start'],
      ['c', 'middle'],
      ['r', 'end'],
    ],
  );
});

test('each clip of a picture has a unique id and applies only to its content', () => {
  const pen = svgPen(10, 10, 'white');
  for (const fill of ['red', 'green']) pen.clip(1, 2, 3, 4, () => pen.rect(0, 0, 1, 1, fill));
  pen.rect(0, 0, 1, 1, 'blue');
  const groups = [
    ...pen.finish().matchAll(/<clipPath id="(\w+)">[\s\S]*?url\(#(\w+)\)[\s\S]*?<\/g>/g),
  ];
  assert.deepEqual(
    groups.map(([part, id, used]) => [id === used, /fill="(red|green)"/.exec(part)?.[1]]),
    [
      [true, 'red'],
      [true, 'green'],
    ],
  );
  assert.equal(new Set(groups.map(([, id]) => id)).size, 2);
});

test('hatching is clipped to its box', () => {
  const pen = svgPen(100, 100, 'white');
  hatch(pen, { left: 10, right: 34, top: 20, height: 16 }, 'red');
  const text = pen.finish();
  assert.match(text, /<clipPath id="c0"><rect x="10" y="20" width="24" height="16"\/>/);
  const lines = [...text.matchAll(/d="M(-?\d+),(\d+)L(-?\d+),(\d+)"/g)].map((found) =>
    found.slice(1).map(Number),
  );
  assert.ok(lines.length >= 5);
  for (const [x0 = 0, y0, x1, y1] of lines) assert.deepEqual([y0, x1, y1], [36, x0 + 16, 20]);
});

test('canvasPen draws the same as svgPen: gaps, single values as dots, and clips', () => {
  const done: string[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]): void =>
      void done.push(`${name} ${args.join(',')}`);
  const names =
    'fillRect beginPath moveTo lineTo stroke fill fillText save rect clip restore'.split(' ');
  const context = Object.fromEntries(names.map((name) => [name, note(name)]));
  const pen = canvasPen(context as unknown as CanvasRenderingContext2D);
  pen.line([0, 1, 2, 3], [5, 6, Number.NaN, 7], 'red', 1);
  assert.deepEqual(done.splice(0), [
    'beginPath ',
    'moveTo 0,5',
    'lineTo 1,6',
    'moveTo 3,7',
    'stroke ',
    'fillRect 1.5,5.5,3,3',
  ]);
  pen.area([0, 1], [5, 6], 9, 'red');
  assert.deepEqual(done.splice(0), [
    'beginPath ',
    'moveTo 0,9',
    'lineTo 0,5',
    'lineTo 1,6',
    'lineTo 1,9',
    'fill ',
  ]);
  pen.clip(1, 2, 3, 4, () => pen.rect(5, 6, 7, 8, 'red'));
  assert.deepEqual(done.splice(0), [
    'save ',
    'beginPath ',
    'rect 1,2,3,4',
    'clip ',
    'fillRect 5,6,7,8',
    'restore ',
  ]);
  pen.text(1, 2, 'a', 'red', 11, 'right');
  assert.deepEqual(done, ['fillText a,1,2']);
  assert.equal(context['textAlign'], 'right');
});

test('time steps are those of a clock, and all ticks fit', () => {
  assert.deepEqual(
    [
      [10, 10],
      [5000, 10],
      [5001, 10],
      [20_000, 10],
      [100_000, 10],
      [250_000, 10],
      [900_000, 10],
      [7_200_000, 10],
      [86_400_000, 2],
      [1e9, 1],
      [100, 0],
    ].map(([span = 0, most = 0]) => timeStep(span, most)),
    [1, 500, 1000, 2000, 10_000, 30_000, 120_000, 900_000, 43_200_000, 1_036_800_000, 100],
  );
});

test('round steps are at least the minimum, and ticks include both ends', () => {
  assert.deepEqual(
    [1, 1.1, 2, 2.1, 5, 5.1, 9.9, 10, 0, -1, Number.NaN, Number.POSITIVE_INFINITY].map(roundStep),
    [1, 2, 2, 5, 5, 10, 10, 10, 1, 1, 1, 1],
  );
  assert.deepEqual([0.5, 1, 2, 3, 1025].map(byteStep), [1, 1, 2, 4, 2048]);
  assert.deepEqual(ticksBetween(1, 3, 1), [1, 2, 3]);
  assert.deepEqual(ticksBetween(-2.5, 0, 1), [-2, -1, 0]);
  assert.equal(ticksBetween(0, 1e12, 1).length, 1000);
  assert.equal(ticksBetween(0.1, 0.3, 0.1).length, 3);
  assert.equal(ticksBetween(0.14, 0.18, 0.02).length, 3);
});
