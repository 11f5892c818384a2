// The format of frame logs, and of files that look like them. Other formats have their tests beside their converters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sniffFormat } from './sniff-format.ts';

for (const [text, format] of [
  ['os,cpu,gpu,ram,kernel,driver\n', 'mangohud'],
  ['v1\n0.8.2\n---------------------SYSTEM INFO---------------------\nos,cpu\n', 'mangohud'],
  ['\uFEFF\r\nfps,frametime,elapsed\r\n', 'mangohud'],
  ['0.1% Min FPS,1% Min FPS\n', 'mangohud'],
  ['//GPU=a;b\n\nApplication,ProcessID,SwapChainAddress,x\n', 'presentmon'],
  ['Duration,Total Frames,Average FPS\n', 'presentmon'],
  ['EVENTS,FrameTime\n', 'unreal'],
  ['FrameTime,GameThreadTime,EVENTS\n', 'unreal'],
  ['time/fps,time/process\n', 'godot'],
  ['a,category_frame_time\n', 'godot'],
  ['EVENTS,x 5\nmain;foo 3\n', 'folded'],
  ['main;a 3\nEVENTS,FrameTime,GameThreadTime 5\n', 'folded'],
  ['main;a 3\nfps,frametime;x 5\n', 'folded'],
  ['main;foo(int,FrameTime,GameThreadTime,x) 3\n', 'folded'],
  ['a,FrameTime,GameThreadTime 3\n', 'folded'],
  ['Events,Date,Count\n', 'folded'],
  ['constructor,FPS\n', 'folded'],
  ['Duration,x\n', 'folded'],
  ['', 'vpt'],
] as const) {
  test(`${JSON.stringify(text)} is read as ${format}`, () => {
    assert.equal(sniffFormat(new TextEncoder().encode(text)), format);
  });
}
