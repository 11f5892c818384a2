import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { TRACE_PARTIAL_HEADER } from '@svc/contracts/agent';
import { vptOf } from '../../test/build-trace.ts';
import { agent, refuse } from '../../test/stand-in-agent.ts';
import type { TraceOrigin } from '../client/trace-calls.ts';
import { fetchMore } from './fetch-trace.ts';
import { type Job, loadTrace as load, readSlices } from './load.ts';
import type { LoadedTrace } from './loaded-trace.ts';
import { TooBigError } from './open-limits.ts';
import { vptBytes } from './vpt-bytes.ts';

const SLICE = 4 * 1024 * 1024;
const MARK = { type: 'mark', t: 1, name: 'a' } as const;
const END = { type: 'end', t: 2, reason: 'off' } as const;
const WHOLE = vptOf(MARK, MARK, END);
/** Two complete marks and half of a third one. */
const TORN = vptOf(MARK, MARK).length;

const loadTrace = (origin: TraceOrigin, job: Job): Promise<LoadedTrace> =>
  load(origin, job, fetchMore);

beforeEach(() => {
  agent.requests.length = 0;
});

/** A job, and the progress it was sent. */
function jobWith(signal = new AbortController().signal) {
  const reported: [number, number | null][] = [];
  const job: Job = { signal, progress: (done, total) => reported.push([done, total]) };
  return { job, reported };
}

/** An agent that has a part of a trace, and sends any part of it. */
function hold(text: string, partial: boolean): void {
  agent.answer = ({ headers }) => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.get('range') ?? '')?.[1] ?? 0);
    if (from > 0 && from >= text.length) return refuse('range_not_satisfiable', 416);
    return new Response(text.slice(from), {
      status: from > 0 ? 206 : 200,
      headers: {
        [TRACE_PARTIAL_HEADER]: String(partial),
        'content-length': String(text.length - from),
      },
    });
  };
}

const live = {
  kind: 'agent',
  id: 'agent-1',
  token: 'the-token',
  name: 'live',
  growing: true,
} as const;
const fileOf = (text: string) =>
  ({ kind: 'file', id: 'file-1', file: new Blob([text]), name: 'a' }) as const;
const marks = ({ info }: LoadedTrace): number => info.counts['mark'] ?? 0;

test('a file is read in slices in order, with progress up to its size', async () => {
  const file = new Blob([new Uint8Array(SLICE).fill(1), new Uint8Array(SLICE).fill(2), 'abc']);
  const { job, reported } = jobWith();
  const taken: [number, number | undefined][] = [];
  await readSlices(file, job, (chunk) => taken.push([chunk.length, chunk[0]]));
  assert.deepEqual(taken, [
    [SLICE, 1],
    [SLICE, 2],
    [3, 97],
  ]);
  assert.deepEqual(reported, [
    [SLICE, file.size],
    [2 * SLICE, file.size],
    [file.size, file.size],
  ]);
  await readSlices(new Blob([]), job, () => assert.fail('there is nothing'));
});

test('an aborted read of a file stops', async () => {
  const stop = new AbortController();
  const { job } = jobWith(stop.signal);
  let taken = 0;
  const file = new Blob([new Uint8Array(2 * SLICE)]);
  const reading = readSlices(file, job, () => {
    taken++;
    stop.abort(new Error('given up'));
  });
  await assert.rejects(reading, /given up/);
  assert.equal(taken, 1);
});

test('a file is read to its end, and an invalid or too large one is rejected', async () => {
  const { job } = jobWith();
  assert.equal(marks(await loadTrace(fileOf(WHOLE), job)), 2);
  await assert.rejects(loadTrace(fileOf('{"vpt":1}\n'), job), { name: 'TraceError' });
  const huge = { size: 4 * 1024 ** 3 + 1, slice: () => assert.fail('it is not even read') };
  const origin = { kind: 'file', id: 'file-1', file: huge as unknown as Blob, name: 'a' } as const;
  await assert.rejects(loadTrace(origin, job), TooBigError);
});

test('running out of memory is reported with the number of bytes read', async () => {
  const { job } = jobWith();
  const first = new TextEncoder().encode(vptOf(MARK)).buffer;
  // The second slice is too large for an array.
  const slices = [first, -1, -1];
  const file = {
    size: 3 * SLICE,
    slice: (at: number) => ({ arrayBuffer: async () => slices[at / SLICE] }),
  };
  const origin = { kind: 'file', id: 'file-1', file: file as unknown as Blob, name: 'a' } as const;
  await assert.rejects(loadTrace(origin, job), (error: unknown) => {
    assert.ok(error instanceof TooBigError);
    assert.match(error.message, /ran out of memory for this page after \d+ B$/);
    return true;
  });
});

test('the agent’s trace is requested with the token, and only new bytes while it grows', async () => {
  const { job } = jobWith();
  hold(WHOLE.slice(0, TORN), true);
  const trace = await loadTrace(live, job);
  assert.equal(agent.requests[0]?.headers.get('authorization'), 'Bearer the-token');
  assert.equal(agent.requests[0]?.headers.get('range'), null);
  assert.deepEqual([marks(trace), trace.info.partial, trace.revision], [2, true, 2]);
  assert.equal(await fetchMore(trace, 'the-token', true, job), false, 'nothing new');
  assert.equal(agent.requests[1]?.headers.get('range'), `bytes=${TORN}-`);
  assert.equal(trace.revision, 2);
  hold(WHOLE, false);
  assert.equal(await fetchMore(trace, 'the-token', true, job), true);
  assert.deepEqual([marks(trace), trace.info.endReason, trace.revision], [2, 'off', 3]);
  assert.equal(trace.bytes, WHOLE.length);
  assert.equal(await (await vptBytes(trace, [], job)).text(), WHOLE);
});

test('the end of a trace is checked once it no longer grows', async () => {
  const { job } = jobWith();
  hold(WHOLE.slice(0, TORN - 3), true);
  const growing = await loadTrace(live, job);
  assert.deepEqual([marks(growing), growing.info.tornBytes], [1, 0]);
  const torn = await loadTrace({ ...live, growing: false }, job);
  assert.equal(marks(torn), 1);
  assert.ok(torn.info.tornBytes > 0, 'the half of a record is reported');
});

test('a different part of the trace than requested is rejected', async () => {
  const { job } = jobWith();
  hold(WHOLE.slice(0, TORN), true);
  const trace = await loadTrace(live, job);
  agent.answer = () => new Response(WHOLE, { headers: { [TRACE_PARTIAL_HEADER]: 'true' } });
  await assert.rejects(fetchMore(trace, 'the-token', true, job), { code: 'unreadable' });
  assert.equal(trace.bytes, TORN);
});

test('progress includes the total if the agent reports the size', async () => {
  hold(WHOLE.slice(0, TORN), true);
  const first = jobWith();
  const trace = await loadTrace(live, first.job);
  assert.deepEqual(first.reported, [[TORN, TORN]]);
  hold(WHOLE, true);
  const more = jobWith();
  await fetchMore(trace, 'the-token', true, more.job);
  assert.deepEqual(more.reported, [[WHOLE.length, WHOLE.length]]);
  const unknown = jobWith();
  agent.answer = () => new Response(WHOLE);
  await loadTrace(live, unknown.job);
  assert.deepEqual(unknown.reported, [[WHOLE.length, null]]);
});

test('a stream is closed after an abort and after an invalid record', async () => {
  for (const [piece, stop] of [
    [vptOf(MARK), true],
    ['{"vpt":1}\n', false],
  ] as const) {
    const cancel = new AbortController();
    let isClosed = false;
    agent.answer = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            controller.enqueue(new TextEncoder().encode(piece));
            if (stop) cancel.abort(new Error('given up'));
          },
          cancel: () => {
            isClosed = true;
          },
        }),
      );
    const { job } = jobWith(cancel.signal);
    await assert.rejects(loadTrace(live, job), stop ? /given up/ : { name: 'TraceError' });
    assert.equal(isClosed, true);
  }
});
