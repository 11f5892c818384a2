// Draw calls and triangles of WebGL. Each call must reach the browser unchanged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recorded } from '../../test/recorded.ts';
import { undoAll } from '../hooks/patch.ts';
import { countDraws, trianglesOf } from './draws.ts';

const [POINTS, LINES, LINE_STRIP, TRIANGLES, STRIP, FAN] = [0, 1, 3, 4, 5, 6];

test('trianglesOf: a list has a triangle per three vertices, strips and fans one per vertex after the second', () => {
  const rows: readonly (readonly [mode: number, vertices: number, triangles: number])[] = [
    [TRIANGLES, 2, 0],
    [TRIANGLES, 3, 1],
    [TRIANGLES, 5, 1],
    [TRIANGLES, 6, 2],
    [STRIP, 2, 0],
    [STRIP, 3, 1],
    [STRIP, 6, 4],
    [FAN, 3, 1],
    [FAN, 6, 4],
    [POINTS, 9, 0],
    [LINES, 9, 0],
    [LINE_STRIP, 9, 0],
    [7, 9, 0],
    [TRIANGLES, -9, 0],
    [TRIANGLES, Number.NaN, 0],
  ];
  for (const [mode, vertices, triangles] of rows) {
    assert.equal(trianglesOf(mode, vertices), triangles, `mode ${mode}, ${vertices} vertices`);
  }
});

/** Each call with its draws and triangles. */
const CALLS: readonly (readonly [
  name: string,
  args: readonly unknown[],
  draws: number,
  triangles: number,
])[] = [
  ['drawArrays', [TRIANGLES, 100, 30], 1, 10],
  ['drawElements', [STRIP, 30, 5123, 0], 1, 28],
  ['drawRangeElements', [TRIANGLES, 0, 99, 30, 5123, 0], 1, 10],
  ['drawArraysInstanced', [TRIANGLES, 100, 30, 4], 1, 40],
  ['drawElementsInstanced', [TRIANGLES, 30, 5123, 0, 4], 1, 40],
  ['drawArraysInstancedANGLE', [TRIANGLES, 100, 30, 4], 1, 40],
  ['drawElementsInstancedANGLE', [TRIANGLES, 30, 5123, 0, 4], 1, 40],
  ['drawArraysInstanced', [TRIANGLES, 0, 30, 0], 1, 0],
  ['drawArraysInstanced', [TRIANGLES, 0, 30, -4], 1, 0],
  ['drawArrays', [POINTS, 0, 30], 1, 0],
  ['multiDrawArraysWEBGL', [TRIANGLES, [0, 9], 0, [3, 6], 0, 2], 2, 3],
  ['multiDrawArraysWEBGL', [TRIANGLES, [0, 9], 0, [9, 3, 6], 1, 2], 2, 3],
  ['multiDrawArraysWEBGL', [TRIANGLES, [0, 9], 0, [3, 6], 0, 1], 1, 1],
  ['multiDrawArraysWEBGL', [TRIANGLES, [0, 9], 0, new Int32Array([30, 60]), 0, 2], 2, 30],
  ['multiDrawElementsWEBGL', [STRIP, [3, 6], 0, 5123, [0, 0], 0, 2], 2, 5],
  ['multiDrawArraysInstancedWEBGL', [TRIANGLES, [0, 0], 0, [3, 6], 0, [5, 7], 0, 2], 2, 19],
  ['multiDrawArraysInstancedWEBGL', [TRIANGLES, [0, 0], 0, [3, 6], 0, [9, 5, 7], 1, 2], 2, 19],
  ['multiDrawElementsInstancedWEBGL', [TRIANGLES, [3, 6], 0, 5123, [0, 0], 0, [5, 7], 0, 2], 2, 19],
  ['multiDrawArraysWEBGL', [TRIANGLES, [0], 0, 'none', 0, 2], 2, 0],
  ['multiDrawArraysWEBGL', [TRIANGLES, [0], 0, [3], 0, -2], 0, 0],
  ['multiDrawArraysWEBGL', [], 0, 0],
];

test('each draw call is counted with its triangles, and is passed on unchanged', () => {
  const passed: unknown[][] = [];
  const owner = Object.fromEntries(
    CALLS.map(([name]) => [
      name,
      function (this: unknown, ...args: unknown[]) {
        passed.push([this, name, ...args]);
        return `${name}!`;
      },
    ]),
  );
  const originals = { ...owner };
  const { sink } = recorded();
  const undos = countDraws(sink, owner, () => {});
  for (const [name, args, draws, triangles] of CALLS) {
    sink.work.draws = 0;
    sink.work.triangles = 0;
    const what = `${name}(${JSON.stringify(args)})`;
    assert.equal(Reflect.apply(owner[name] ?? assert.fail(), owner, args), `${name}!`);
    assert.deepEqual([sink.work.draws, sink.work.triangles], [draws, triangles], what);
    const [self, ...call] = passed.at(-1) ?? [];
    assert.equal(self, owner, what);
    assert.deepEqual(call, [name, ...args], what);
  }
  for (const args of [[], [TRIANGLES], [TRIANGLES, 0, 3, 5123, 0, 9, 'too many']]) {
    for (const name of new Set(CALLS.map(([one]) => one))) {
      Reflect.apply(owner[name] ?? assert.fail(), owner, args);
      assert.deepEqual(passed.at(-1)?.slice(1), [name, ...args]);
    }
  }
  assert.equal(passed.length, CALLS.length + 3 * 11);
  undoAll(undos);
  for (const [name, original] of Object.entries(originals)) assert.equal(owner[name], original);
});

test('only the first draw of a frame is reported, with its context', () => {
  const owner = { drawArrays: () => {}, drawElements: () => {} };
  const { sink } = recorded();
  const reported: unknown[] = [];
  countDraws(sink, owner, (gl) => reported.push(gl));
  Reflect.apply(owner.drawArrays, owner, [TRIANGLES, 0, 3]);
  Reflect.apply(owner.drawElements, owner, [TRIANGLES, 3, 5123, 0]);
  assert.deepEqual(reported, [owner]);
  sink.work.draws = 0;
  Reflect.apply(owner.drawElements, owner, [TRIANGLES, 3, 5123, 0]);
  assert.equal(reported.length, 2);
});

test('a draw call that the browser rejects throws the same error', () => {
  const fault = new TypeError('not enough arguments');
  const owner = {
    drawArrays: () => {
      throw fault;
    },
  };
  countDraws(recorded().sink, owner, () => {});
  assert.throws(() => owner.drawArrays(), fault);
});
