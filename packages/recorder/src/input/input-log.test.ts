import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { InputLog } from './input-log.ts';
import { parseInputScript } from './input-script.ts';

const SIZE = { width: 640, height: 400 };
const SPACE = { device: 'key', action: 'down', code: 'Space' } as const;

function open(t: TestContext): { readonly log: InputLog; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recorder-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const log = new InputLog(join(folder, 'a.input'), SIZE);
  log.open();
  return { log, folder };
}

test('times count from the first frame and never decrease; the end is the last line', (t) => {
  const { log, folder } = open(t);
  log.put(900, SPACE);
  log.firstDraw(1000);
  log.firstDraw(5000);
  log.put(1500, SPACE);
  log.put(1400, { ...SPACE, action: 'up' });
  assert.deepEqual(readdirSync(folder), ['a.input.partial']);
  log.commit(3000);
  assert.equal(log.steps, 3);
  assert.deepEqual(readdirSync(folder), ['a.input']);
  const text = readFileSync(join(folder, 'a.input'), 'utf8');
  assert.deepEqual(text.split('\n').slice(1), [
    ...['size 640x400', '0.000 key down Space', '0.500 key down Space', '0.500 key up Space'],
    ...['2.000 end', ''],
  ]);
  const { size, steps, end_ms } = parseInputScript(text);
  assert.deepEqual([size, steps.length, end_ms], [SIZE, 3, 2000]);
});

test('without an end the file is kept, or removed', (t) => {
  const kept = open(t);
  kept.log.put(0, SPACE);
  kept.log.keep();
  kept.log[Symbol.dispose]();
  assert.match(readFileSync(join(kept.folder, 'a.input'), 'utf8'), /0\.000 key down Space\n$/);
  const removed = open(t);
  removed.log[Symbol.dispose]();
  assert.deepEqual(readdirSync(removed.folder), []);
});
