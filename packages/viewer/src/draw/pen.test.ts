import assert from 'node:assert/strict';
import { test } from 'node:test';
import { svgPen } from './pen.ts';
import { byteStep, roundStep, ticksBetween, timeStep } from './ticks.ts';

test('svgPen writes what XML forbids as a sign, and escapes the rest', () => {
  const pen = svgPen(10, 10, 'white');
  pen.text(1, 2, 'a<b>&"\u0000', 'red', 11);
  const text = pen.finish();
  assert.match(text, /a&lt;b&gt;&amp;&quot;\ufffd/);
  assert.match(text, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
});

test('svgPen interrupts a line where a value is missing, and makes a lone value a dot', () => {
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
