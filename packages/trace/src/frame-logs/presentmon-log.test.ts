import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  convertedLog,
  counterOf,
  framesOf,
  recordsOf,
  rejectionOf,
} from '../testing/converted-log.ts';

const CHAIN = 'Application,ProcessID,SwapChainAddress';
const OLD = `${CHAIN},Runtime,SyncInterval,PresentFlags`;
const NEW = `${CHAIN},PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,PresentMode`;
const GPU_1 = 'msUntilRenderStart,msGPUActive';
const V2 = 'GPULatency,GPUTime,GPUBusy,GPUWait,DisplayLatency,DisplayedTime,AnimationError';
const NEWEST =
  'MsGPULatency,MsGPUTime,MsGPUBusy,MsGPUWait,MsAnimationError,AnimationTime,MsFlipDelay,MsAllInputToPhotonLatency,MsClickToPhotonLatency';
const PRESENT =
  'MsBetweenSimulationStart,MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsRenderPresentLatency,MsUntilDisplayed';

/** The headers of all versions, from the documentation and recordings of each tool. */
const HEADERS: Readonly<Record<string, string>> = {
  'PresentMon 1.0 to 1.6': `${OLD},AllowsTearing,PresentMode,Dropped,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsUntilRenderComplete,MsUntilDisplayed`,
  'PresentMon 1.0 to 1.6, simple': `${OLD},Dropped,TimeInSeconds,MsBetweenPresents,MsInPresentAPI`,
  'PresentMon 1.0 to 1.6, verbose': `${OLD},AllowsTearing,PresentMode,WasBatched,DwmNotified,Dropped,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsUntilRenderComplete,MsUntilDisplayed,QPCTime`,
  'PresentMon of Unreal Editor': `${OLD},AllowsTearing,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange,Dropped,PresentMode,MsInPresentAPI,MsUntilRenderComplete,MsUntilDisplayed`,
  'PresentMon 1.7': `${OLD},Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange`,
  'PresentMon 1.9, with the GPU': `${OLD},Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange,${GPU_1},msGPUVideoActive,msSinceInput,QPCTime`,
  'PresentMon 1.7, without the display': `${OLD},Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents`,
  'PresentMon 2.4 --v1_metrics': `${OLD},Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,msBetweenDisplayChange,msFlipDelay,${GPU_1},msSinceInput,QPCTime`,
  'PresentMon 2.0': `${OLD},AllowsTearing,PresentMode,CPUStartTime,CPUBusy,CPUWait,GPULatency,GPUBusy,GPUWait,DisplayLatency,DisplayedTime,ClickToPhotonLatency`,
  'PresentMon 2.2': `${NEW},CPUStartTime,FrameTime,CPUBusy,CPUWait,${V2}`,
  'PresentMon 2.2 --qpc_time': `${NEW},CPUStartQPC,FrameTime,CPUBusy,CPUWait,${V2}`,
  'PresentMon 2.2 --qpc_time_ms': `${NEW},CPUStartQPCTime,FrameTime,CPUBusy,CPUWait,${V2}`,
  'PresentMon 2.2 --date_time': `${NEW},CPUStartDateTime,FrameTime,CPUBusy,CPUWait,${V2}`,
  'PresentMon 2.4 --v2_metrics': `${NEW},FrameType,CPUStartQPC,FrameTime,CPUBusy,CPUWait,GPULatency,GPUTime,GPUBusy,GPUWait,VideoBusy,DisplayLatency,DisplayedTime,AnimationError,AnimationTime,MsFlipDelay,AllInputToPhotonLatency,ClickToPhotonLatency,InstrumentedLatency`,
  'PresentMon 2.5': `${NEW},TimeInMs,${PRESENT},CPUStartTimeInMs,MsBetweenAppStart,MsCPUBusy,MsCPUWait,${NEWEST}`,
  'PresentMon 2.6 --qpc_time': `${NEW},FrameType,TimeInQPC,${PRESENT},MsPCLatency,CPUStartQPC,MsBetweenAppStart,MsCPUBusy,MsCPUWait,${NEWEST},MsInstrumentedLatency`,
  'PresentMon 2.6, in seconds': `${NEW},TimeInSeconds,${PRESENT},CPUStartTimeInSeconds,MsBetweenAppStart,MsCPUBusy,MsCPUWait,${NEWEST}`,
  'PresentMon 2.6 --date_time': `${NEW},TimeInDateTime,${PRESENT},CPUStartDateTime,MsBetweenAppStart,MsCPUBusy,MsCPUWait,${NEWEST}`,
  'the application of PresentMon': `CPUStartQPC,${NEW},FrameType,PresentStartTime,BetweenSimulationStart,BetweenPresents,BetweenDisplayChange,InPresentAPI,RenderPresentLatency,UntilDisplayed,PCLatency,CPUStartTime,BetweenAppStart,CPUBusy,CPUWait,GPULatency,GPUTime,GPUBusy,GPUWait,AnimationError,FlipDelay,AnimationTime,AllInputtoPhotonLatency,ClicktoPhotonLatency,InstrumentedLatency,PCLatency`,
  'a program of the API': `${NEW}, msInPresentAPI, msBetweenPresents`,
  CapFrameX: `${NEW},FrameType,TimeInSeconds,${PRESENT},CPUStartQPCTimeInMs,MsBetweenAppStart,MsCPUBusy,MsCPUWait,${NEWEST},MsInstrumentedLatency`,
  OCAT: `${OLD},AllowsTearing,PresentMode,Dropped,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsUntilRenderComplete,MsUntilDisplayed,Motherboard,OS,Processor,System RAM,Base Driver Version,Driver Package,GPU #,GPU,GPU Core Clock (MHz),GPU Memory Clock (MHz),GPU Memory (MB)`,
  FrameView: `Application,GPU,CPU,Resolution,Runtime,AllowsTearing,ProcessID,SwapChainAddress,SyncInterval,PresentFlags,PresentMode,Dropped,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsRenderPresentLatency,MsUntilDisplayed,Render Queue Depth,MsPCLatency,GPU0Clk(MHz),GPU0MemClk(MHz),GPU0Util(%),GPU0Temp(C),CPUCoreUtil%[ 0]`,
};

/** The frames of every file: their starts and durations, and the time of the CPU outside of Present. */
const DURATIONS = [16, 17, 50, 16.5];
const IN_PRESENT = 4;

/** What a column contains in the row of a frame which begins `start` ms after the recording did. */
function cellOf(name: string, start: number, ms: number, unit: 's' | 'ms'): string {
  const end = start + ms;
  const key = name.trim().replace(/^ms/i, '').toLowerCase();
  const starts: Record<string, string> = {
    cpustarttime: start.toFixed(4),
    cpustarttimeinms: start.toFixed(4),
    cpustarttimeinseconds: (start / 1000).toFixed(4),
    cpustartqpctime: (start + 9e6).toFixed(4),
    cpustartqpctimeinms: (start + 9e6).toFixed(4),
    cpustartqpc: String(55436501505 + Math.round(start * 10_000)),
    cpustartdatetime: dateOf(start),
    timeinms: end.toFixed(4),
    timeinseconds: unit === 's' ? (end / 1000).toFixed(6) : end.toFixed(4),
    timeinqpc: String(55436501505 + Math.round(end * 10_000)),
    timeindatetime: dateOf(end),
  };
  const values: Record<string, string> = {
    application: 'Game.exe',
    processid: '9208',
    swapchainaddress: '0x259DAE0BCF0',
    gpu: 'GeForce "RTX", 4080',
    presentmode: 'Composed: Flip',
    frametype: 'Application',
    dropped: '0',
    betweenpresents: ms.toFixed(14),
    betweenappstart: ms.toFixed(4),
    frametime: ms.toFixed(4),
    cpubusy: (ms - IN_PRESENT).toFixed(4),
    cpuwait: IN_PRESENT.toFixed(4),
    inpresentapi: IN_PRESENT.toFixed(4),
    gpubusy: '7.5000',
    gpuactive: '7.5000',
    untildisplayed: '20.0000',
    displaylatency: '20.0000',
    displayedtime: '16.0000',
    'gpu0util(%)': '80',
  };
  const cell = starts[key] ?? values[key] ?? 'NA';
  return cell.includes(',') ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function dateOf(ms: number): string {
  return `2024-3-7 9:05:0${(1 + ms / 1000).toFixed(9)}`;
}

function rowsOf(header: string, unit: 's' | 'ms', durations = DURATIONS): string[] {
  let start = 250;
  return durations.map((ms) => {
    const row = header.split(',').map((name) => cellOf(name, start, ms, unit));
    start += ms;
    return row.join(',');
  });
}

for (const [tool, header] of Object.entries(HEADERS)) {
  for (const unit of header.includes('TimeInSeconds')
    ? (['s', 'ms'] as const)
    : (['ms'] as const)) {
    test(`the frames of ${tool}${unit === 's' ? '' : ', times in ms'}`, () => {
      const log = convertedLog(`\uFEFF${[header, ...rowsOf(header, unit)].join('\r\n')}\r\n`);
      assert.equal(log.format, 'presentmon');
      assert.deepEqual([log.unreadable, log.torn], [0, false]);
      assert.deepEqual(framesOf(log), [
        { t: 0, ms: 16 },
        { t: 16, ms: 17 },
        { t: 33, ms: 50 },
        { t: 83, ms: 16.5 },
      ]);
      const [{ main_ms, gpu_ms } = {}] = recordsOf(log, 'frames');
      const ofCpu = DURATIONS.map((ms) => ms - IN_PRESENT);
      const isOld = !/CPUBusy/i.test(header);
      const knowsPresent = /InPresentAPI/i.test(header);
      // In old logs, the first row does not state how long the Present before it lasted.
      assert.deepEqual(
        main_ms,
        isOld ? (knowsPresent ? [null, ...ofCpu.slice(1)] : undefined) : ofCpu,
      );
      const hasGpu = /GPUBusy|GPUActive/i.test(header);
      assert.deepEqual(gpu_ms, hasGpu ? [7.5, 7.5, 7.5, 7.5] : undefined);
      assert.deepEqual(log.header.target, { pid: 9208, name: 'Game.exe', started_at: null });
      const hasLatency = /UntilDisplayed|DisplayLatency/i.test(header);
      assert.deepEqual(counterOf(log, 'display latency'), hasLatency ? [20] : []);
      assert.deepEqual(counterOf(log, 'GPU0Util'), tool === 'FrameView' ? [80] : []);
      const namesGpu = header.split(',').includes('GPU');
      assert.equal(log.header.gpu?.name, namesGpu ? 'GeForce "RTX", 4080' : undefined);
    });
  }
}

const SIMPLE = `${OLD},Dropped,TimeInSeconds,MsBetweenPresents,MsInPresentAPI`;

/** A row of SIMPLE. */
function simple(
  program: string,
  pid: number,
  chain: string,
  seconds: number,
  ms: number,
  dropped = 0,
): string {
  return `${program},${pid},${chain},DXGI,0,0,${dropped},${seconds.toFixed(6)},${ms.toFixed(3)},1.000`;
}

test('of several swap chains, the one of a game with the most frames is shown, and the choice is stated', () => {
  const rows = [1, 2, 3, 4, 5, 6].map((i) => simple('dwm.exe', 4, '0x1', i * 0.007, 7));
  rows.push(...[1, 2, 3].map((i) => simple('Game.exe', 8, '0xA', i * 0.02, 20)));
  rows.push(...[1, 2].map((i) => simple('Game.exe', 8, '0xB', i * 0.03, 30)));
  const log = convertedLog(`${[SIMPLE, ...rows].join('\n')}\n`);
  assert.deepEqual(
    framesOf(log).map(({ ms }) => ms),
    [20, 20, 20],
  );
  assert.deepEqual(
    recordsOf(log, 'log').map(({ text }) => text),
    [
      'The log has 3 swap chains of 2 programs. This trace shows one of Game.exe, which has the most frames of a game.',
    ],
  );
});

test('the desktop is shown if nothing else drew, also beside a game without frames', () => {
  const rows = [1, 2, 3].map((i) => simple('dwm.exe', 4, '0x1', i * 0.007, 7));
  rows.push(simple('dwm.exe', 4, '0x2', 0.02, 7), simple('Game.exe', 8, '0xA', 0.02, 0));
  const log = convertedLog(`${[SIMPLE, ...rows].join('\n')}\n`);
  assert.deepEqual([framesOf(log).length, log.unreadable], [3, 0]);
  assert.deepEqual(
    recordsOf(log, 'log').map(({ text }) => text),
    ['The log has 2 swap chains. This trace shows one of dwm.exe, which has the most frames.'],
  );
});

test('frames that were left out are gaps', () => {
  const rows = [1, 2, 3, 4].map((i) => simple('Game.exe', 8, '0xA', i * 0.016, 8));
  const log = convertedLog(`${[SIMPLE, ...rows].join('\n')}\n`);
  assert.deepEqual(framesOf(log), [
    { t: 0, ms: 8 },
    { t: 16, ms: 8 },
    { t: 32, ms: 8 },
    { t: 48, ms: 8 },
  ]);
});

test('of two recordings in a file, the first is shown, and the trace says so', () => {
  const rows = [1, 2].map((i) => simple('Game.exe', 8, '0xA', i * 0.02, 20));
  const log = convertedLog(`${[SIMPLE, ...rows, SIMPLE, ...rows].join('\n')}\n`);
  assert.deepEqual([framesOf(log).length, log.unreadable], [2, 0]);
  assert.match(recordsOf(log, 'log')[0]?.text ?? '', /^The file has several recordings/);
});

test('a row without a time is counted if the log has times', () => {
  const rows = [1, 2, 3].map((i) => simple('Game.exe', 8, '0xA', i * 0.02, 20));
  rows[0] = rows[0]?.replace('0.020000', 'NA') ?? '';
  const log = convertedLog(`${[SIMPLE, ...rows].join('\n')}\n`);
  assert.deepEqual([framesOf(log).length, log.unreadable], [2, 1]);
});

test('a header of many columns costs no more than its bytes', () => {
  const header = `${SIMPLE},${'a(W),'.repeat(100_000)}b${' '.repeat(100_000)}x`;
  const rows = Array.from({ length: 200 }, (_, i) => simple('a.exe', i + 1, '0xA', 0.02, 20));
  const log = convertedLog(`${[header, ...rows].join('\n')}\n`, 1_000_000);
  assert.equal(framesOf(log).length, 1);
});

test('rows are sorted by time, and frames that were not displayed are counted', () => {
  const rows = [3, 1, 2, 4].map((i) => simple('Game.exe', 8, '0xA', i * 0.02, 20, i === 2 ? 1 : 0));
  const log = convertedLog(`${[SIMPLE, ...rows].join('\n')}\n`);
  assert.deepEqual(
    framesOf(log).map(({ t }) => t),
    [0, 20, 40, 60],
  );
  assert.deepEqual(counterOf(log, 'frames not displayed'), [25]);
});

test('frames that a driver generated are no frames of the game', () => {
  const header = `${NEW},FrameType,TimeInMs,${PRESENT},CPUStartTimeInMs,MsBetweenAppStart,MsCPUBusy,MsCPUWait,${NEWEST}`;
  const rows = rowsOf(header, 'ms').flatMap((row) => [
    row
      .replace(',Application,', ',AMD AFMF,')
      .replace(/,\d+\.\d{4},\d+\.\d{4},4\.0000,/, ',0.0000,0.0000,0.0000,'),
    row,
  ]);
  const log = convertedLog(`${[header, ...rows].join('\n')}\n`);
  assert.deepEqual(
    framesOf(log).map(({ ms }) => ms),
    DURATIONS,
  );
  // Old families have the time of Present in each of the rows.
  const twice = [1, 2, 3].flatMap((i) => [
    simple('a.exe', 8, '0xA', i * 0.02, 20),
    simple('a.exe', 8, '0xA', i * 0.02, 20),
  ]);
  const old = convertedLog(`${[SIMPLE, ...twice].join('\n')}\n`);
  assert.deepEqual(
    framesOf(old).map(({ t }) => t),
    [0, 20, 40],
  );
});

test('the lines of PresentMon about lost events are losses, and the lines of CapFrameX are not rows', () => {
  const rows = [1, 2].map((i) => simple('Game.exe', 8, '0xA', i * 0.02, 20));
  const about = ['//GameName=Game', '//GPU=Radeon RX 7800 XT', '//Comment=a, b'];
  const warning = 'warning: 12 events were lost; collected data may be unreliable.';
  const log = convertedLog(`${[...about, SIMPLE, ...rows, warning].join('\n')}\n`);
  assert.equal(framesOf(log).length, 2);
  assert.deepEqual(
    recordsOf(log, 'loss').map(({ reason, count }) => [reason, count]),
    [['buffer_full', 12]],
  );
  assert.equal(log.header.gpu?.name, 'Radeon RX 7800 XT');
  assert.equal(log.unreadable, 0);
});

test('a row that a comma in the name of the program broke is counted', () => {
  const rows = [
    simple('Game, the.exe', 8, '0xA', 0.02, 20),
    simple('Game.exe', 8, '0xA', 0.04, 20),
  ];
  const log = convertedLog(`${[SIMPLE, ...rows].join('\n')}\n`);
  assert.deepEqual([framesOf(log).length, log.unreadable], [1, 1]);
});

test('a log that PowerShell redirected is UTF-16', () => {
  const rows = [1, 2].map((i) => simple('Game.exe', 8, '0xA', i * 0.02, 20));
  const text = `\uFEFF${[SIMPLE, ...rows].join('\r\n')}\r\n`;
  assert.equal(framesOf(convertedLog(Buffer.from(text, 'utf16le'))).length, 2);
});

test('a summary and a log without frames are rejected with the next step', () => {
  for (const [text, reason] of [
    [
      'Duration,Total Frames,Average FPS,Minimum FPS\n9,540,60,55\n',
      /has no column with the duration of frames/,
    ],
    [`${SIMPLE}\n`, /it has no frames\. Record again/],
  ] as const) {
    assert.match(rejectionOf(text), reason);
  }
});
