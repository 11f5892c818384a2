// Reports and analyses of a trace that does not fit in memory, or that the thread rejects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { within } from '../../test/within.ts';
import { AssetReports } from '../report/asset-reports.ts';
import type { RetainedTrace } from '../trace/retained-trace.ts';
import { readAnalysis } from './read-analysis.ts';

/** A thread that needs more memory than it has. */
function greedy(): Worker {
  const code = 'const held = []; for (;;) held.push(new Array(100_000).fill(held.length));';
  const worker = new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } });
  worker.on('error', () => {});
  return worker;
}

/** A thread that sends this answer. */
function answering(answer: object): Worker {
  const code = `require('node:worker_threads').parentPort.postMessage(${JSON.stringify(answer)});`;
  return new Worker(code, { eval: true });
}

/** A trace of one byte, and the number of its open leases. */
function traceOf() {
  const leases = { open: 0 };
  const trace: RetainedTrace = {
    summary: {
      id: '1',
      name: 'a.vpt',
      origin: 'import',
      path: null,
      sources: [],
      started_at: null,
      records: 0,
      assets: 0,
      bytes: 1,
      duration_ms: null,
      partial: false,
      truncated: false,
      torn_bytes: 0,
      notes_revision: 0,
    },
    open: () => {
      leases.open++;
      const lease = { descriptor: 0, [Symbol.dispose]: () => void leases.open-- };
      return { lease, bytes: 1, insertion: null };
    },
    fileBytes: 1,
    addNotes: () => assert.fail('no note is added'),
    release: async () => {},
  };
  return { trace, leases };
}

const { signal } = new AbortController();

test('a trace that does not fit in memory is rejected as not_available, and the message names the command that needs less memory', async () => {
  const { trace, leases } = traceOf();
  const report = new AssetReports(greedy).of(trace, signal);
  await assert.rejects(within(report, 'the refusal'), { code: 'not_available' });
  const question = { trace, budget_ms: undefined, startWorker: greedy, signal };
  await assert.rejects(within(readAnalysis(question), 'the refusal'), {
    code: 'not_available',
    message: /svc trace assets FILE needs less memory/,
  });
  assert.equal(leases.open, 0, 'no reader is left');
});

test('another failure of the thread is not reported as missing memory', async () => {
  const { trace, leases } = traceOf();
  const failing = (): Worker => {
    const code = "throw Object.assign(new Error('broken'), { code: 'ERR_BROKEN' });";
    const worker = new Worker(code, { eval: true });
    worker.on('error', () => {});
    return worker;
  };
  const report = new AssetReports(failing).of(trace, signal);
  await assert.rejects(within(report, 'the failure'), { message: 'broken', code: 'ERR_BROKEN' });
  const question = { trace, budget_ms: undefined, startWorker: failing, signal };
  await assert.rejects(within(readAnalysis(question), 'the failure'), {
    message: 'broken',
    code: 'ERR_BROKEN',
  });
  assert.equal(leases.open, 0, 'no reader is left');
});

test("a report that the thread rejects has the thread's message, and is derived again on the next request", async () => {
  const { trace, leases } = traceOf();
  const report = { assets: [], left_out: 3 };
  const answers = [{ fault: { message: 'too many assets' } }, { result: report }];
  const reports = new AssetReports(() => answering(answers.shift() ?? assert.fail('asked again')));
  const refused = { code: 'not_available', message: 'too many assets' };
  await assert.rejects(within(reports.of(trace, signal), 'the refusal'), refused);
  assert.deepEqual(await within(reports.of(trace, signal), 'the report'), report);
  assert.deepEqual(await within(reports.of(trace, signal), 'the report'), report, 'it is kept');
  assert.equal(leases.open, 0);
});

test('a report is derived again when the trace has grown or was replaced, but not for notes beside it', async () => {
  const recorded = traceOf().trace;
  let bytes = 1;
  let noteBytes = 0;
  const trace: RetainedTrace = {
    ...recorded,
    get summary() {
      return { ...recorded.summary, bytes: bytes + noteBytes };
    },
    get fileBytes() {
      return bytes;
    },
  };
  let derived = 0;
  const reports = new AssetReports(() => answering({ result: { left_out: ++derived } }));
  const leftOut = async (of: RetainedTrace) =>
    (await within(reports.of(of, signal), 'the report')).left_out;
  assert.equal(await leftOut(trace), 1);
  noteBytes = 60;
  assert.equal(await leftOut(trace), 1);
  assert.equal(await leftOut(traceOf().trace), 2);
  assert.equal(await leftOut(trace), 3);
  bytes = 2;
  assert.equal(await leftOut(trace), 4);
});

test('a trace that was released has no analysis, and an empty report', async () => {
  const gone: RetainedTrace = { ...traceOf().trace, open: () => null };
  const startWorker = () => assert.fail('no thread is needed');
  const report = await new AssetReports(startWorker).of(gone, signal);
  assert.deepEqual([report.assets, report.left_out, report.totals.assets], [[], 0, 0]);
  assert.deepEqual(await new AssetReports(startWorker).of(null, signal), report);
  const question = { trace: gone, budget_ms: undefined, startWorker, signal };
  await assert.rejects(readAnalysis(question), { code: 'no_trace' });
});
