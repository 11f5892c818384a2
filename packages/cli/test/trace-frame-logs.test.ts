// `svc trace …` with frame logs of other tools.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { folderWith, runSvc } from './svc.ts';

const FRAMES = [16, 16, 80, 16];
const MANGOHUD = `fps,frametime,gpu_load,elapsed\n${FRAMES.map(
  (ms, i) =>
    `${1000 / ms},${ms},50,${FRAMES.slice(0, i + 1).reduce((sum, one) => sum + one) * 1e6}\n`,
).join('')}`;
const PRESENTMON = `Application,ProcessID,SwapChainAddress,CPUStartTime,FrameTime,CPUBusy,CPUWait,GPUBusy\r\n${FRAMES.map(
  (ms, i) =>
    `Game.exe,12,0x1,${FRAMES.slice(0, i).reduce((sum, one) => sum + one, 0)},${ms},${ms - 2},2,3\r\n`,
).join('')}`;
const UNREAL = `EVENTS,FrameTime,GameThreadTime,Exclusive/GameThread/LoadPackage\n${FRAMES.map(
  (ms) => `,${ms},${ms - 1},${ms > 50 ? 70 : 0}\n`,
).join('')}EVENTS,FrameTime,GameThreadTime,Exclusive/GameThread/LoadPackage\n[HasHeaderRowAtEnd],1`;
const GODOT = `time/fps,time/process\n60.0,0.002\n\ncategory_frame_time,process_time\n${FRAMES.map(
  (ms) => `${ms / 1000},${ms / 2000}\n`,
).join('')}`;

test('every svc trace command reads frame logs by their content, plain and compressed', async (t) => {
  const cwd = folderWith(t, {
    'a.csv': MANGOHUD,
    'b.csv': PRESENTMON,
    'c.csv': UNREAL,
    'c.csv.gz': gzipSync(UNREAL),
    'd.txt': GODOT,
  });
  for (const [file, format, name] of [
    ['a.csv', 'mangohud', 'a log of MangoHud'],
    ['b.csv', 'presentmon', 'a log of PresentMon'],
    ['c.csv', 'unreal', 'a CSV profile of Unreal Engine'],
    ['c.csv.gz', 'unreal', 'a CSV profile of Unreal Engine'],
    ['d.txt', 'godot', 'measures of Godot'],
  ] as const) {
    const info = await runSvc(t, ['trace', 'info', file, '--json'], { cwd });
    assert.equal(info.code, 0, info.stderr);
    const described = JSON.parse(info.stdout);
    assert.deepEqual([...Errors(DOCUMENTS['trace-info'], described)], []);
    assert.deepEqual(
      [described.format, described.duration_ms, described.partial],
      [format, 128, false],
    );
    const check = await runSvc(t, ['trace', 'check', file], { cwd });
    assert.equal(check.stdout.includes(`: ${name}, `), true, check.stdout);
    const hitches = await runSvc(t, ['trace', 'hitches', file, '--json'], { cwd });
    const [first] = JSON.parse(hitches.stdout).hitches;
    assert.deepEqual([first.t, first.duration_ms], [32, 80]);
  }
});

test('svc trace convert writes a frame log as a valid trace, and states what it skipped', async (t) => {
  const cwd = folderWith(t, {
    'a.csv': `${MANGOHUD}inf,0,0,9\n60,1`,
    'b.csv': 'fps,frametime,elapsed\n',
  });
  const { code, stdout, stderr } = await runSvc(t, ['trace', 'convert', 'a.csv', '-o', 'a.vpt'], {
    cwd,
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Wrote a\.vpt \(\d+ B\)\.\n$/);
  assert.match(stderr, /The file ends in the middle/);
  assert.match(stderr, /Skipped 1 row that could not be read/);
  assert.match(readFileSync(join(cwd, 'a.vpt'), 'utf8'), /"duration_ms":\[16,16,80,16\]/);
  const refused = await runSvc(t, ['trace', 'convert', 'b.csv', '-o', 'b.vpt'], { cwd });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /b\.csv:1:1: Cannot read the MangoHud log: it has no frames/);
  assert.deepEqual(readdirSync(cwd).sort(), ['a.csv', 'a.vpt', 'b.csv']);
});
