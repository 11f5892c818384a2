import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickFile } from './pick-file.ts';

const shown = new Set<StandInInput>();

class StandInInput extends EventTarget {
  type = '';
  accept = '';
  hidden = false;
  files: File[] = [];
  clicks = 0;
  click(): void {
    this.clicks++;
  }
  remove(): void {
    shown.delete(this);
  }
}

Object.assign(globalThis, {
  document: {
    createElement: () => new StandInInput(),
    body: { append: (input: StandInInput) => shown.add(input) },
  },
});

test('a chosen file is passed on, and the input is removed in any case', () => {
  const taken: File[] = [];
  const ask = (): StandInInput => {
    pickFile((file) => taken.push(file));
    const [input] = shown;
    assert.ok(input);
    assert.deepEqual([input.type, input.hidden, input.clicks, shown.size], ['file', true, 1, 1]);
    return input;
  };
  ask().dispatchEvent(new Event('cancel'));
  assert.equal(shown.size, 0);
  ask().dispatchEvent(new Event('change'));
  assert.deepEqual([shown.size, taken.length], [0, 0]);
  const input = ask();
  const file = new File([], 'a.vpt');
  input.files = [file];
  input.dispatchEvent(new Event('change'));
  assert.deepEqual([shown.size, taken], [0, [file]]);
  for (const extension of ['.vpt', '.folded', '.txt', '.collapsed', '.stacks']) {
    assert.ok(input.accept.split(',').includes(extension), extension);
  }
});
