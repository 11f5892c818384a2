// The functions of a window, of traces with and without threads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { functionsOf } from './window-functions.ts';

function functions(folded: string, limit?: number): string[] {
  const [stacks] = modelOf(folded).stacks;
  assert.ok(stacks !== undefined);
  return functionsOf(stacks.tree, limit).map(({ name, self, total }) => `${name} ${self} ${total}`);
}

test('functions are ordered by their own weight, then by all that they called, then by name', () => {
  assert.deepEqual(functions('a;b 5\na;c 5\nd 9\na 1\nz 0\nb;e 2\n'), [
    'd 9 9',
    'b 5 7',
    'c 5 5',
    'e 2 2',
    'a 1 11',
  ]);
  assert.deepEqual(functions('a;b 5\na;c 7\n', 1), ['c 7 7']);
});

test('a recursive function counts once', () => {
  assert.deepEqual(functions('a;b;a 5\na;b;a;b 3\n'), ['a 5 8', 'b 3 8']);
});

test('only the main thread counts if there is one, without its root', () => {
  const text = 'main thread_[M];f_[S] 5\nworker 2;busy_[S];f_[S] 90\nmain thread_[M] 1\n';
  assert.deepEqual(functions(text), ['f 5 5']);
  assert.deepEqual(functions('worker 2;busy_[S] 90\n'), ['busy 90 90']);
});

test('code of the engine counts as the script that called it', () => {
  const text = [
    'main thread_[M];frame_[S];stall_[S] 4',
    'main thread_[M];frame_[S];stall_[S];now;clock 30',
    'main thread_[M];frame_[S];mesh_[W];drawArrays 20',
    'main thread_[M];(program) 3',
    'main thread_[M];timer;tick_[S] 2',
    'main thread_[M];frame_[S];(garbage collector)_[G] 1',
  ].join('\n');
  assert.deepEqual(functions(text), [
    'stall 34 34',
    'mesh 20 20',
    '(program) 3 3',
    'tick 2 2',
    '(garbage collector) 1 1',
  ]);
  assert.deepEqual(functions('main;draw 3\nmain 1\n'), ['draw 3 3', 'main 1 4']);
});
