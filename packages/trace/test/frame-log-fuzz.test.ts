// Damaged frame logs: any change of the bytes gives a valid trace or one TraceError, and never another error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FrameLogFormat, sniffFormat } from '../src/index.ts';
import { convertDamaged } from './convert-damaged.ts';

const LOGS: Readonly<Record<FrameLogFormat, readonly string[]>> = {
  mangohud: [
    'os,cpu,gpu,ram,kernel,driver,cpuscheduler',
    'Debian,Ryzen 7,Radeon RX 9060,32768000,6.1,,performance',
    'fps,frametime,cpu_load,gpu_load,gpu_vram_used,process_rss,elapsed',
    '100,10,20,50,0.5,0.25,6000000',
    '80,12.5,20,50,0.5,0.25,18500000',
    '12.5,80,20,50,0.5,0.25,98500000',
  ],
  presentmon: [
    '//GPU=Radeon RX 7800 XT',
    'Application,ProcessID,SwapChainAddress,PresentMode,FrameType,TimeInSeconds,MsBetweenPresents,MsInPresentAPI,MsUntilDisplayed,CPUStartTimeInMs,MsBetweenAppStart,MsCPUBusy,MsGPUBusy,GPU0Util(%)',
    'Game.exe,12,0x1A,Flip,Application,2024-3-7 9:05:01.25,16.5,1,20,250,16.5,12,7,80',
    '"dwm, exe",4,0x2,Flip,Application,0.2,7,1,NA,240,7,2,1,80',
    'Game.exe,12,0x1A,Flip,Application,0.3,83,1,20,266.5,83,80,7,80',
    'warning: 12 events were lost; collected data may be unreliable.',
  ],
  unreal: [
    'EVENTS,FrameTime,GameThreadTime,GPUTime,RHI/DrawCalls,PhysicalUsedMB,Exclusive/GameThread/Load',
    ',16,12,9,1200,800,0.5',
    'Level/Load;Boss##0.016,82.25,80.5,9.5,1300,810,60.25',
    'EVENTS,FrameTime,GameThreadTime,GPUTime,RHI/DrawCalls,PhysicalUsedMB,Exclusive/GameThread/Load,GPU/Shadows',
    '[HasHeaderRowAtEnd],1,[engineversion],5.5.4,[starttimestamp],1748095037,[commandline],a,"b',
  ],
  godot: [
    'time/fps,time/process,memory/static',
    '60.0,0.0021,41943040.0',
    '61.0,0.0022,41943050.0',
    '',
    'category_frame_time,process_time,res://player.gd::12::_process,categ::physics',
    '0.016683,0.001412,0.00029,0.1',
    '0.5,0.4,0.35,0.1',
    '0.033402,0.001455,0.00031,0.1',
  ],
};

const PARTS = [
  '0',
  '-1',
  '1e308',
  '1e-300',
  'NA',
  'inf',
  '"',
  ',',
  '\n',
  '\r',
  ';',
  '[a]',
  '\u0000',
  'ÿ',
  '',
];

for (const [format, lines] of Object.entries(LOGS) as [FrameLogFormat, readonly string[]][]) {
  const text = `${lines.join('\n')}\n`;

  test(`a damaged log of the format ${format} gives a valid trace or is rejected`, () => {
    assert.equal(sniffFormat(new TextEncoder().encode(text)), format);
    const edit = fc.tuple(fc.nat(text.length), fc.nat(30), fc.constantFrom(...PARTS));
    fc.assert(
      fc.property(
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 300 }),
        (edits, size) => {
          const damaged = edits.reduce(
            (all, [from, length, part]) => all.slice(0, from) + part + all.slice(from + length),
            text,
          );
          convertDamaged(format, damaged, size);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test(`any values in the cells of the format ${format} give a valid trace or are rejected`, () => {
    const cells = lines.map((line) => line.split(','));
    const places = cells.flatMap((row, y) => row.map((_, x) => [y, x] as const));
    const value = fc.oneof(
      fc.double().map(String),
      fc.constantFrom('1e300', '-5', '9007199254740993', '1e-9', 'nan', ''),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...places), value), { maxLength: 6 }),
        (changes) => {
          const changed = cells.map((row) => [...row]);
          for (const [[y, x], one] of changes) {
            const row = changed[y];
            if (row !== undefined) row[x] = one;
          }
          convertDamaged(format, `${changed.map((row) => row.join(',')).join('\n')}\n`, 999);
        },
      ),
      { numRuns: 2000 },
    );
  });
}
