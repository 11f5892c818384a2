import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandSpec } from './define-command.ts';
import { splitProgram } from './split-program.ts';

const run = async (): Promise<void> => {};
const SPECS: CommandSpec[] = [
  { name: 'watch', summary: '', program: true, run },
  { name: 'check', summary: '', run },
];

const split = (line: string) => splitProgram(line.split(' '), SPECS);

test('splitProgram: what follows the first -- is a program, with all its options', () => {
  assert.deepEqual(split('watch --start -- ./game --json -- x'), {
    words: ['watch', '--start'],
    launched: ['./game', '--json', '--', 'x'],
  });
  assert.deepEqual(split('--json watch -- game').launched, ['game']);
  assert.deepEqual(split('watch --').launched, []);
});

test('splitProgram: without --, and for other commands, the words stay as they are', () => {
  for (const line of ['watch file', 'check -- -file', '-- watch game', 'unknown -- x']) {
    assert.deepEqual(split(line), { words: line.split(' '), launched: null });
  }
});
