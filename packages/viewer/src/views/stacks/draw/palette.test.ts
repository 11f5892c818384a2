import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAME_CATEGORIES } from '@svc/trace';
import type { Colours } from '../../../draw/tokens.ts';
import { DIFF_FIRST, DIFF_STEPS, diffPaint, framePaint, SHADES } from './flame-view.ts';
import { CATEGORY_TOKENS, cssOf, flamePalette, pixel, rgbOf } from './palette.ts';

const COLOURS = {
  surface: 'rgb(1, 2, 3)',
  ink: 'rgb(4, 5, 6)',
  'flame-native': 'rgb(10, 0, 0)',
  'flame-kernel': 'rgb(20, 0, 0)',
  'flame-jit': 'rgb(30, 0, 0)',
  'flame-inlined': 'rgb(40, 0, 0)',
  'flame-waker': 'rgb(50, 0, 0)',
  'flame-js': 'rgb(60, 0, 0)',
  'flame-wasm': 'rgb(70, 0, 0)',
  'flame-gc': 'rgb(80, 0, 0)',
  'flame-main': 'rgb(90, 0, 0)',
  'flame-dimmed': 'rgb(100, 100, 100)',
  'flame-ink': 'rgb(0, 0, 1)',
  'flame-ink-dimmed': 'rgb(0, 0, 2)',
  'diff-less': 'rgb(0, 0, 200)',
  'diff-same': 'rgb(100, 100, 100)',
  'diff-more': 'rgb(200, 0, 0)',
} as Colours;

test('a pixel holds red, green and blue from its lowest byte, is opaque, and converts back to CSS', () => {
  assert.equal(pixel([1, 2, 3]), 0xff030201);
  assert.equal(cssOf(pixel([1, 2, 255])), 'rgb(1, 2, 255)');
  assert.deepEqual(rgbOf('rgb(12, 34, 56)'), [12, 34, 56]);
  assert.deepEqual(rgbOf('none'), [0, 0, 0]);
});

test('each category has its own colour in the palette, in the order of the categories', () => {
  assert.equal(CATEGORY_TOKENS.length, FRAME_CATEGORIES.length);
  const { boxes } = flamePalette(COLOURS, false, -1, true);
  assert.deepEqual(
    FRAME_CATEGORIES.map((_, category) => cssOf(boxes[framePaint(category, 0)] ?? 0)),
    [10, 20, 30, 40, 50, 60, 70, 80, 90].map((red) => `rgb(${red}, 0, 0)`),
  );
  const shades = Array.from({ length: SHADES }, (_, hash) => boxes[framePaint(1, hash)]);
  assert.ok(new Set(shades).size >= SHADES - 1);
  assert.equal(framePaint(1, SHADES + 3), framePaint(1, 3));
});

test('changes are painted from gone to new, with a neutral colour for no change', () => {
  const { boxes } = flamePalette(COLOURS, false, -1, true);
  const colour = (change: number): string => cssOf(boxes[diffPaint(change)] ?? 0);
  assert.equal(colour(-1), 'rgb(0, 0, 200)');
  assert.equal(colour(0), 'rgb(100, 100, 100)');
  assert.equal(colour(1), 'rgb(200, 0, 0)');
  assert.deepEqual([diffPaint(-9), diffPaint(-1)], [DIFF_FIRST, DIFF_FIRST]);
  assert.deepEqual(
    [diffPaint(9), diffPaint(1)],
    [DIFF_FIRST + DIFF_STEPS - 1, DIFF_FIRST + DIFF_STEPS - 1],
  );
  assert.ok(diffPaint(0.5) > diffPaint(0.2) && diffPaint(-0.5) < diffPaint(-0.2));
});

test('every colour has a dimmed one 128 later, and other colours come from the tokens', () => {
  const palette = flamePalette(COLOURS, true, 7, false);
  for (const index of [framePaint(0, 0), framePaint(4, 0), diffPaint(1), diffPaint(-1)]) {
    const [r = 0, g = 0, b = 0] = rgbOf(cssOf(palette.boxes[index | 128] ?? 0));
    for (const part of [r, g, b]) assert.ok(Math.abs(part - 100) <= 16, `${r} ${g} ${b}`);
  }
  const { boxes: _, ...rest } = palette;
  assert.deepEqual(rest, {
    ground: pixel([1, 2, 3]),
    ink: 'rgb(0, 0, 1)',
    inkDimmed: 'rgb(0, 0, 2)',
    outline: 'rgb(4, 5, 6)',
    chosen: 7,
    labels: false,
  });
});
