// The functions of a window, of traces with and without threads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { functionsOf } from './window-functions.ts';

function functions(folded: string, limit?: number): string[] {
  const [stacks] = modelOf(folded).stacks;
  assert.ok(stacks !== undefined);
  return functionsOf(stacks, limit).map(({ name, self, total }) => `${name} ${self} ${total}`);
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

test('all threads count in the trace of a native program whose frames are not recorded', () => {
  const text = `native
    0 process cpu=1
    0 stacks game_[M];main;update 1000@0 | worker;spin;read_[k] 9000@0`;
  const listed = (vpt: string): string[] => {
    const [stacks = assert.fail()] = modelOf(traceFromText(vpt)).stacks;
    return functionsOf(stacks).map(({ name, self }) => `${name} ${self}`);
  };
  assert.deepEqual(listed(text), ['spin 9', 'update 1']);
  assert.deepEqual(listed(`${text}\n0 frames 10`), ['update 1']);
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

test('code of the kernel counts as the function that called it, and code of a library as itself', () => {
  const text = [
    'game_[M];main;load_level;read;do_syscall_64_[k];vfs_read_[k];copy_user_[k] 5',
    'game_[M];main;load_level;asm_exc_page_fault_[k] 4',
    'game_[M];main;load_level;memcpy 3',
    'game_[M];main;load_level;[libz.so.1];ret_from_irq_[k] 2',
    'game_[M];schedule_[k];switch_[k] 1',
    'worker;spin;do_syscall_64_[k] 90',
  ].join('\n');
  assert.deepEqual(functions(text), [
    'read 5 5',
    'load_level 4 14',
    'memcpy 3 3',
    '[libz.so.1] 2 2',
    'switch 1 1',
  ]);
  assert.deepEqual(functions('swapper;idle_[k] 2\nbash;main;do_syscall_64_[k];read_[k] 3\n'), [
    'main 3 3',
    'idle 2 2',
  ]);
});
