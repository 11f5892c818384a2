// `svc trace …` with V8 CPU profiles and Chrome traces: plain, compressed, torn and empty ones.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Errors } from 'typebox/value';
import { DOCUMENTS } from '../src/documents.ts';
import { folderWith, runSvc } from './svc.ts';

const PROFILE = JSON.stringify({
  nodes: [
    { id: 1, callFrame: { functionName: '(root)', url: '', lineNumber: -1, columnNumber: -1 } },
    {
      id: 2,
      callFrame: { functionName: 'stall', url: 'http://h/g.js', lineNumber: 4, columnNumber: 1 },
      parent: 1,
    },
  ],
  startTime: 0,
  endTime: 90_000,
  samples: [2, 2],
  timeDeltas: [1000, 80_000],
});
const frame = (ms: number) => ({
  name: 'FireAnimationFrame',
  ph: 'X',
  ts: ms * 1000,
  dur: 10,
  pid: 1,
  tid: 1,
  args: {},
});
const TRACE = JSON.stringify({ traceEvents: [10, 26, 106, 122].map(frame) });

test('every svc trace command reads profiles by their content, plain and compressed', async (t) => {
  const cwd = folderWith(t, {
    'a.cpuprofile': PROFILE,
    'b.json': TRACE,
    'c.json.gz': gzipSync(TRACE),
    'd.txt': `[${TRACE.slice(16, -2)}]`,
  });
  const rows = [
    ['a.cpuprofile', 'cpuprofile', 90],
    ['b.json', 'chrome', 112],
    ['c.json.gz', 'chrome', 112],
    ['d.txt', 'chrome', 112],
  ] as const;
  for (const [file, format, duration] of rows) {
    const info = await runSvc(t, ['trace', 'info', file, '--json'], { cwd });
    assert.equal(info.code, 0, info.stderr);
    const described = JSON.parse(info.stdout);
    assert.deepEqual([...Errors(DOCUMENTS['trace-info'], described)], []);
    assert.deepEqual(
      [described.format, described.duration_ms, described.partial],
      [format, duration, false],
    );
    const check = await runSvc(t, ['trace', 'check', file], { cwd });
    assert.match(check.stdout, /: a (?:V8 CPU profile|Chrome trace), \d+ records/);
    assert.equal((await runSvc(t, ['trace', 'assets', file], { cwd })).code, 0);
  }
  const analysis = await runSvc(t, ['trace', 'analyze', 'c.json.gz'], { cwd });
  assert.match(analysis.stdout, /recording lasts only/);
  const piped = await runSvc(t, ['trace', 'info', '-'], { cwd, input: PROFILE });
  assert.match(piped.stdout, /format +V8 CPU profile/);
});

test('svc trace convert of a profile gives the same valid trace each time, compressed or not', async (t) => {
  const cwd = folderWith(t, { 'a.cpuprofile': PROFILE, 'b.gz': gzipSync(PROFILE) });
  for (const [file, out] of [
    ['a.cpuprofile', 'a.vpt'],
    ['b.gz', 'b.vpt'],
  ] as const) {
    const { code, stdout } = await runSvc(t, ['trace', 'convert', file, '-o', out, '--json'], {
      cwd,
    });
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      out,
      bytes: readFileSync(join(cwd, out)).length,
      format: 'cpuprofile',
      skipped_count: 0,
    });
  }
  assert.deepEqual(readFileSync(join(cwd, 'a.vpt')), readFileSync(join(cwd, 'b.vpt')));
  const check = await runSvc(t, ['trace', 'check', 'a.vpt'], { cwd });
  assert.match(check.stdout, /a valid \.vpt trace, 2 records/);
});

test('a file that was cut off is converted as far as it goes, with a warning', async (t) => {
  const zipped = gzipSync(TRACE, { level: 0 });
  const cwd = folderWith(t, {
    'a.json': TRACE.slice(0, -40),
    'b.gz': zipped.subarray(0, zipped.length - 40),
  });
  for (const file of ['a.json', 'b.gz']) {
    const converted = await runSvc(t, ['trace', 'convert', file, '-o', 'out.vpt'], { cwd });
    assert.equal(converted.code, 0);
    assert.match(
      converted.stderr,
      /The file ends in the middle\. Everything before was converted\./,
    );
    const { stdout } = await runSvc(t, ['trace', 'info', file], { cwd });
    assert.match(stdout, /complete +no: the file ends in the middle/);
    assert.match(
      (await runSvc(t, ['trace', 'check', file], { cwd })).stdout,
      /partial: the file ends/,
    );
    const again = await runSvc(t, ['trace', 'info', 'out.vpt', '--json'], { cwd });
    assert.equal(JSON.parse(again.stdout).partial, true);
  }
});

test('files with nothing to show, damaged ones and those that expand too far leave no output', async (t) => {
  const damaged = gzipSync(TRACE);
  damaged.fill(0xff, 20, 40);
  const cwd = folderWith(t, {
    'empty.json': '{"traceEvents":[]}',
    'idle.cpuprofile': '{"nodes":[],"samples":[],"timeDeltas":[]}',
    'damaged.gz': damaged,
    'speedscope.json': '{"$schema":"https://www.speedscope.app/file-format-schema.json"}',
    'firefox.json.gz': gzipSync('{"meta":{"preprocessedProfileVersion":50},"threads":[]}'),
  });
  const before = readdirSync(cwd).length;
  for (const [file, message] of [
    ['empty.json', /it has no events\. Record again/],
    ['idle.cpuprofile', /no samples with times .* Record it again/],
    ['damaged.gz', /its data is damaged .* Save or copy the file again/],
    ['speedscope.json', /JSON of speedscope/],
    ['firefox.json.gz', /JSON of the Firefox Profiler/],
  ] as const) {
    const { code, stderr } = await runSvc(t, ['trace', 'convert', file, '-o', 'out.vpt'], { cwd });
    assert.equal(code, 1, file);
    assert.match(stderr, message);
  }
  assert.equal(readdirSync(cwd).length, before);
});

test('svc trace hitches names the functions that ran in each of the longest hitches', async (t) => {
  const node = (id: number, functionName: string, parent: number) => ({
    id,
    parent,
    callFrame: { functionName, url: 'http://h/g.js', lineNumber: id * 10 },
  });
  const chunk = (data: object) => ({
    name: 'ProfileChunk',
    ph: 'P',
    ts: 1,
    pid: 1,
    tid: 2,
    id: 1,
    args: { data },
  });
  const trace = [
    ...[10, 26, 106, 122, 162].map(frame),
    {
      name: 'Profile',
      ph: 'P',
      ts: 10_000,
      pid: 1,
      tid: 1,
      id: 1,
      args: { data: { startTime: 10_000 } },
    },
    chunk({
      cpuProfile: {
        nodes: [node(1, 'frame', 0), node(2, 'stall', 1), node(3, 'load', 1)],
        samples: [1, 2, 1, 3, 1],
      },
      timeDeltas: [0, 20_000, 70_000, 24_000, 30_000],
      endTime: 162_000,
    }),
    { name: 'MinorGC', ph: 'X', ts: 40_000, dur: 5000, pid: 1, tid: 1 },
  ];
  const cwd = folderWith(t, { 'a.json': JSON.stringify(trace), 'b.cpuprofile': PROFILE });
  const json = await runSvc(t, ['trace', 'hitches', 'a.json', '--json'], { cwd });
  const report = JSON.parse(json.stdout);
  assert.deepEqual([...Errors(DOCUMENTS['trace-hitches'], report)], []);
  assert.deepEqual([report.frames, report.count], [4, 2]);
  const [first, second] = report.hitches;
  assert.deepEqual([first.t, first.duration_ms, first.over_ms], [16, 80, 63.333]);
  const work = { unit: 'ms', exact: true };
  assert.deepEqual(first.functions, [
    { name: 'stall g.js:21', ...work, self: 70, total: 70 },
    { name: 'frame g.js:11', ...work, self: 10, total: 80 },
  ]);
  assert.deepEqual(first.causes, [
    {
      ...{ kind: 'function', name: 'stall g.js:21', phase: null, ms: 65 },
      text: 'stall g.js:21 ran for 65 ms',
    },
    {
      ...{ kind: 'function', name: 'frame g.js:11', phase: null, ms: 10 },
      text: 'frame g.js:11 ran for 10 ms',
    },
    {
      ...{ kind: 'gc', name: null, phase: null, ms: 5 },
      text: 'garbage collection took 5 ms',
    },
  ]);
  assert.deepEqual(first.spans, [{ name: 'minor GC', track: 'gc', within_ms: 5 }]);
  assert.equal(second.functions[0].name, 'load g.js:31');
  assert.deepEqual(
    [report.bound, first.bound, first.evidence],
    ['script', 'script', 'main_thread'],
  );
  assert.deepEqual([first.parts.main_ms, first.parts.script_ms, first.parts.gc_ms], [80, 75, 5]);
  assert.equal(report.answer, 'Bound by script: 100 % of the time over budget.');
  assert.equal(report.bounds[0].hitches, 2);
  const text = await runSvc(t, ['trace', 'hitches', 'a.json', '--limit', '1'], { cwd });
  assert.match(
    text.stdout,
    /^Bound by script: 100 % of the time over budget\.\n2 of 4 frames are hitches.*\n\n80 ms at 16 ms\n {2}Bound by script: 75 of 80 ms on the main thread\. Also: garbage collection 5 ms\.\n {2}Causes: stall g\.js:21 ran for 65 ms, frame g\.js:11 ran for 10 ms\.\n {2}stall g\.js:21 {2}70 ms itself/,
  );
  assert.match(text.stdout, /1 shorter hitch is not listed\. Use --limit N/);
  const wide = await runSvc(t, ['trace', 'hitches', 'a.json', '--frame-ms', '50'], { cwd });
  assert.match(wide.stdout, /^Bound by script: 100 %.*\n1 of 4 frames/);
  assert.match(
    (await runSvc(t, ['trace', 'hitches', 'b.cpuprofile'], { cwd })).stdout,
    /has no frames/,
  );
  for (const limit of ['0', 'x', '1001']) {
    const wrong = await runSvc(t, ['trace', 'hitches', 'a.json', '--limit', limit], { cwd });
    assert.equal(wrong.code, 2);
  }
});

test('svc trace info and hitches show the graphics adapter and the build', async (t) => {
  const header = {
    vpt: 1,
    producer: { name: 'x', version: '1' },
    started_at: null,
    sources: ['browser'],
    gpu: { name: 'llvmpipe (LLVM 15\u001b[2J)', software: true },
    build: { digest: 'sha256:00ff' },
  };
  const frames = { type: 'frames', t: 0, duration_ms: [16, 50], gpu_ms: [3, 44], main_ms: [9, 6] };
  const lines = [header, frames].map((line) => `${JSON.stringify(line)}\n`).join('');
  const cwd = folderWith(t, { 'a.vpt': lines });
  const info = await runSvc(t, ['trace', 'info', 'a.vpt'], { cwd });
  assert.match(info.stdout, /^graphics +llvmpipe \(LLVM 15\\x1b\[2J\) \(in software\)$/m);
  assert.match(info.stdout, /^build +sha256:00ff$/m);
  const json = JSON.parse((await runSvc(t, ['trace', 'info', 'a.vpt', '--json'], { cwd })).stdout);
  assert.deepEqual([...Errors(DOCUMENTS['trace-info'], json)], []);
  assert.deepEqual([json.gpu, json.build], [header.gpu, header.build]);
  const hitches = await runSvc(t, ['trace', 'hitches', 'a.vpt'], { cwd });
  assert.match(
    hitches.stdout,
    /^Bound by the GPU: 100 % of the time over budget\. Graphics was rendered in software \(llvmpipe \(LLVM 15\\x1b\[2J\)\)/,
  );
  assert.match(
    hitches.stdout,
    / {2}Bound by the GPU: it worked for 44 of 50 ms\..*\n {2}Cause: the GPU worked for 44 ms\.\n/,
  );
});
