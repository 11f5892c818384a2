// VptUnity.cs with a stub of Unity's API. This checks names and types, and what is recorded of the stub's values. It is no test in Unity.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { type FrameValues, framesOf, linesOf } from '../test/trace-lines.ts';
import { compileCsharp, noMono, runCsharp } from './test/run-csharp.ts';

const FILES = ['VptWriter.cs', 'VptUnity.cs', 'test/UnityStub.cs', 'test/UnityProgram.cs'];

for (const defines of [[], ['UNITY_2022_1_OR_NEWER']]) {
  test(`VptUnity records a game in Unity ${defines[0] ?? '2021'}`, { skip: noMono }, async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'game.vpt');
    const output = runCsharp(compileCsharp(t, FILES, defines), [folder]);
    assert.deepEqual(output.slice(0, 3), [
      `log: VptUnity: the trace is written to ${file}`,
      'True',
      'True 0',
    ]);
    assert.match(output[3] ?? '', /^warning: VptUnity: cannot write .*missing/);
    assert.equal(existsSync(join(folder, 'missing')), false);

    const [header, ...records] = linesOf(file);
    assert.deepEqual(header?.['gpu'], { name: 'llvmpipe (LLVM 15.0.6)', software: true });
    const named = (type: string) =>
      records.filter((record) => record['type'] === type).map((record) => record['name']);
    const frames = framesOf(records);
    const column = (key: keyof FrameValues) => frames.map((frame) => frame[key]);

    // FrameTimingManager does not have the times of the last three frames before the pause and before the end.
    const timed = (part: number) =>
      [...Array(15).keys()].map((i) => (i < 7 || (i > 9 && i < 12) ? i + part : null));
    assert.deepEqual(column('draws'), [...Array(15).keys()]);
    assert.deepEqual(column('triangles'), Array(15).fill(null));
    assert.deepEqual(column('gpu_ms'), timed(0.5));
    assert.deepEqual(column('main_ms'), defines.length > 0 ? timed(0.25) : Array(15).fill(null));
    assert.ok(frames.every((frame) => frame.duration_ms >= 4));
    const [before, paused] = frames.slice(9);
    const end = (before?.t ?? 0) + (before?.duration_ms ?? 0);
    assert.ok((paused?.t ?? 0) - end > 95, 'the pause of 100 ms is no frame');

    assert.deepEqual([...new Set(named('counter'))], ['Main Thread', 'System Used Memory']);
    const counter = records.find((record) => record['name'] === 'Main Thread');
    assert.deepEqual([counter?.['unit'], counter?.['value']], ['ms', 12.345678]);
    assert.deepEqual(named('mark'), [
      'scene unloaded: old',
      'scene loaded: Level2',
      'boss appears',
    ]);
    assert.deepEqual(named('span').toSorted(), [
      ...Array(5).fill('GC.Collect'),
      'Level2',
      'path finding',
    ]);
    assert.deepEqual(named('asset'), ['theme', 'theme', 'rock', 'rock']);
    const { code, stdout, stderr } = await runSvc(t, ['trace', 'check', file]);
    assert.equal(code, 0, stdout + stderr);
  });
}
