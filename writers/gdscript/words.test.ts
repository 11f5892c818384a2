// The words of the format that vpt.gd and VptWriter.cs repeat.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ASSET_KINDS, ASSET_PHASES, LATEST_T_MS } from '@svc/trace/write';

const read = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8');
const wordsAfter = (text: string, start: string): string[] => {
  const list = text.slice(text.indexOf(start)).split(/[\]};]/, 1)[0] ?? '';
  return [...list.matchAll(/"(\w+)"/g)].map(([, word = '']) => word);
};

test('vpt.gd knows the kinds and phases of assets, and the latest time', () => {
  const text = read('gdscript/vpt.gd');
  assert.deepEqual(wordsAfter(text, 'const KINDS'), ASSET_KINDS);
  assert.deepEqual(wordsAfter(text, 'const PHASES'), ASSET_PHASES);
  assert.match(text, new RegExp(`const LATEST_MS := ${LATEST_T_MS}\\.0\n`));
});

test('VptWriter.cs knows the kinds and phases of assets, and the latest time', () => {
  const text = read('csharp/VptWriter.cs');
  assert.deepEqual(wordsAfter(text, 'KindNames ='), ASSET_KINDS);
  assert.deepEqual([...wordsAfter(text, 'PhaseNames ='), 'named'], ASSET_PHASES);
  assert.match(text, new RegExp(`const double LatestMs = ${LATEST_T_MS};`));
});
