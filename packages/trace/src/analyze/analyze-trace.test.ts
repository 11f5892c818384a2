// The whole analysis: the order of findings, none for a good recording, linear time for a hostile one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownRecord } from '../format/records.ts';
import { modelOf, TraceModelBuilder } from '../model/build-model.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import { analyzeTrace } from './analyze-trace.ts';
import { analysisContext } from './findings/context.ts';
import { summarizeTrace } from './summarize-trace.ts';

test('analyzeTrace puts a cause before the symptom that it explains', () => {
  const model = modelOf(
    traceFromText(`browser
      0 frames 16.7*60 200 16.7*60 200 16.7*60 50*20 16.7*500
      1005 asset 7 boss.ktx2 texture upload duration_ms=180 main_thread_ms=180
      2210 asset 8 sky.png texture decode duration_ms=190 main_thread_ms=190
    `),
  );
  const ids = analyzeTrace(model).map((finding) => finding.id);
  assert.equal(ids[0], 'asset_hitches');
  assert.ok(ids.indexOf('main_thread_decode') < ids.indexOf('hitch_bursts'), ids.join(' '));
});

test('analyzeTrace orders by severity, then causes before symptoms, then by cost, then by the order of the rules', () => {
  const model = modelOf(
    traceFromText(`browser
      0 frames 10*90 50*60
      0 stacks main;a 60 | main;b 40
      10 asset 1 reads data read main_thread_ms=40
      60 asset 2 decoded data decode main_thread_ms=40
      5 asset 3 t.png texture upload gpu_bytes=67108864 format=RGBA8
      0 process rss=200000000
      1 process rss=100000000
      2 process rss=200000000
      3 process rss=100000000
    `),
  );
  const findings = analyzeTrace(model, { budget_ms: 10 });
  assert.deepEqual(
    findings.map(({ id, severity }) => `${severity} ${id}`),
    [
      'critical hot_function',
      'critical frames_over_budget',
      'warning texture_memory',
      'warning main_thread_decode',
      'warning main_thread_reads',
      'info memory_swings',
      'info short_trace',
    ],
  );
  const keys = ['id', 'severity', 'title', 'detail', 'evidence'];
  for (const finding of findings) assert.deepEqual(Object.keys(finding), keys);
});

test('a symptom comes after every cause of the same severity, whatever its cost', () => {
  const model = modelOf(
    traceFromText(`browser
      0 frames 10*100 50*12 10*1900
      10 asset 1 decoded data decode main_thread_ms=40
    `),
  );
  assert.deepEqual(
    analyzeTrace(model, { budget_ms: 10 }).map(({ id }) => id),
    ['main_thread_decode', 'hitch_bursts'],
  );
});

test('analyzeTrace uses a budget of 60 Hz by default', () => {
  const model = modelOf(traceFromText('browser\n0 frames 16.7*700\n'));
  const ids = (budget_ms?: number) =>
    analyzeTrace(model, budget_ms === undefined ? {} : { budget_ms }).map(({ id }) => id);
  assert.deepEqual(ids(), []);
  assert.deepEqual(ids(10), ['frames_over_budget']);
});

test('the context contains the source with most frames, and its slow frames that overlap no loss', () => {
  const model = modelOf(
    traceFromText(`native browser
      0 native:frames 100*3
      0 browser:frames 10 15 15.1 30 40
      45 browser:loss hidden_tab 5
    `),
  );
  const context = analysisContext(model, 10);
  assert.equal(context.frames?.source, 'browser');
  assert.deepEqual(
    [context.stats?.count, context.stats?.left_out, context.stats?.budget_ms],
    [4, 1, 10],
  );
  assert.deepEqual(
    context.slow.map(({ start_ms, duration_ms }) => [start_ms, duration_ms]),
    [
      [25, 15.1],
      [70.1, 40],
    ],
  );
  const empty = analysisContext(modelOf(traceFromText('browser\n0 mark m\n')));
  assert.deepEqual(
    [empty.frames, empty.stats, empty.slow, empty.duration_ms, empty.budget_ms],
    [null, null, [], 0, 1000 / 60],
  );
});

test('the context ranks all assets and lists the costliest 10,000', () => {
  const builder = new TraceModelBuilder();
  builder.header({
    vpt: 1,
    producer: { name: 't', version: '1' },
    started_at: null,
    sources: ['browser'],
  });
  const same = { type: 'asset', t: 1, kind: 'data', phase: 'load', name: 'a' } as const;
  for (let id = 0; id < 10_001; id++) builder.record({ ...same, id, duration_ms: id });
  const { report } = analysisContext(builder.snapshot(), 10);
  assert.deepEqual(
    [report.assets.length, report.left_out, report.totals.assets],
    [10_000, 1, 10_001],
  );
  assert.deepEqual([report.assets[0]?.id, report.assets.at(-1)?.id], [10_000, 1]);
});

test('analyzeTrace returns no findings for a good recording', () => {
  const model = modelOf(
    traceFromText(`browser
      0 frames 16.6*1800
      100 asset 1 rock.png texture load duration_ms=40 transfer_bytes=30000
      150 asset 1 rock.png texture decode duration_ms=12 main_thread_ms=0
      170 asset 1 rock.png texture upload duration_ms=1 main_thread_ms=1 gpu_bytes=349525 dims=256x256 format=RGBA8
      0 counter js_heap_bytes bytes 20000000*30
      29900 end stop
    `),
  );
  assert.deepEqual(analyzeTrace(model), []);
});

test('analyzeTrace and summarizeTrace stay linear on many slow frames, loads and repeats', () => {
  const builder = new TraceModelBuilder();
  builder.header({
    vpt: 1,
    producer: { name: 't', version: '1' },
    started_at: null,
    sources: ['browser'],
  });
  const same = {
    type: 'asset',
    kind: 'data',
    phase: 'load',
    name: 'same',
    transfer_bytes: 9,
  } as const;
  builder.record({ type: 'frames', t: 0, duration_ms: Array.from({ length: 60_000 }, () => 40) });
  for (let i = 0; i < 60_000; i++) {
    const record: KnownRecord = {
      ...same,
      t: i * 40,
      id: i,
      duration_ms: 2_000_000,
      main_thread_ms: 2_000_000,
    };
    builder.record(record);
  }
  const model = builder.snapshot();
  const before = process.cpuUsage();
  assert.ok(analyzeTrace(model).length > 0);
  assert.ok(summarizeTrace(model).bytes > 0);
  const { user } = process.cpuUsage(before);
  assert.ok(user < 20_000_000, `${user} µs`);
});

test('losses: the advice depends on the reasons of the losses', () => {
  const adviceFor = (trace: string): string => {
    const found = analyzeTrace(modelOf(traceFromText(trace))).find(({ id }) => id === 'losses');
    return found?.detail ?? '';
  };
  const late = adviceFor(
    'native\n0 process rss_bytes=1e6\n1000 loss late_sampler 3000\n4000 process rss_bytes=1e6',
  );
  assert.match(late, /too busy.*fewer other programs/);
  assert.doesNotMatch(late, /foreground/);
  const hidden = adviceFor(
    'browser\n0 frames 16.7*100\n1670 loss hidden_tab 3000\n4670 frames 16.7*100',
  );
  assert.match(hidden, /with the game in the foreground\.$/);
  const other = adviceFor(
    'browser\n0 frames 16.7*100\n1670 loss paused 3000\n4670 frames 16.7*100',
  );
  assert.match(other, /Record again to measure that time\.$/);
});

test('losses: times without functions are stated as such', () => {
  const titleFor = (probe: string): string | undefined =>
    analyzeTrace(
      modelOf(traceFromText(`browser\n0 frames 16.7*200\n1670 loss buffer_full 1500${probe}`)),
    ).find(({ id }) => id === 'losses')?.title;
  assert.match(titleFor('') ?? '', /^45 ?% of the time is not in the recording$/);
  assert.match(
    titleFor(' probe=stacks') ?? '',
    /^45 ?% of the time was recorded without functions$/,
  );
  assert.equal(titleFor(' probe=files'), undefined);
});
