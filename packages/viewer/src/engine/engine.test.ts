import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRACE_PARTIAL_HEADER } from '@svc/contracts/agent';
import { modelOf, vptOf } from '../../test/build-trace.ts';
import { agent, refuse } from '../../test/stand-in-agent.ts';
import type { Slot } from '../client/trace-calls.ts';
import type { Fault, FromWorker, ToWorker } from '../client/worker-messages.ts';
import { deriveFrames } from '../views/frames/derive-frames.ts';
import { WHOLE } from '../views/stacks/derive/query.ts';
import type { CallName, Calls } from './calls.ts';

type Answer<Name extends CallName> = { value?: Calls[Name]['result']; fault?: Fault };

const waiting = new Map<number, (message: FromWorker) => void>();
const worker = {
  onmessage: (_event: { data: ToWorker }): void => assert.fail('the worker is not there yet'),
  postMessage: (message: FromWorker): void => waiting.get(message.id)?.(message),
};
Object.defineProperty(globalThis, 'self', { value: worker, configurable: true });
await import('./agent-engine.ts');

let last = 0;

/** Calls the worker like a page. `onProgress` may cancel the call. */
function call<Name extends CallName>(
  name: Name,
  args: Calls[Name]['args'],
  onProgress?: (done: number, total: number | null, cancel: () => void) => void,
): Promise<Answer<Name>> {
  const id = ++last;
  const { promise, resolve } = Promise.withResolvers<Answer<Name>>();
  const cancel = (): void => worker.onmessage({ data: { cancel: id } });
  waiting.set(id, (message) => {
    if ('done' in message) onProgress?.(message.done, message.total, cancel);
    else {
      waiting.delete(id);
      resolve(message as Answer<Name>);
    }
  });
  worker.onmessage({ data: { id, name, args } });
  return promise;
}

const FRAMES = { type: 'frames', t: 0, duration_ms: [16, 50] } as const;

function open(text: string, slot: Slot = 'main', name = 'a'): Promise<Answer<'open'>> {
  return call('open', {
    slot,
    origin: { kind: 'file', id: 'file-1', file: new Blob([text]), name },
  });
}

const nameIn = async (slot: Slot): Promise<string | undefined> =>
  (await call('timeline', { slot })).value?.tracks[0]?.id;

test('calls about a trace that is not open are rejected', async () => {
  const { fault } = await call('timeline', { slot: 'other' });
  assert.deepEqual(fault, {
    code: 'failed',
    message: 'No trace is open',
    line: null,
    column: null,
  });
});

test('an open trace answers every view, and each slot has its own trace', async () => {
  const reported: unknown[] = [];
  const text = vptOf(FRAMES);
  const origin = { kind: 'file', id: 'file-1', file: new Blob([text]), name: 'run.vpt' } as const;
  const { value } = await call('open', { slot: 'main', origin }, (...progress) =>
    reported.push(progress.slice(0, 2)),
  );
  assert.deepEqual(
    [value?.name, value?.counts, value?.bytes],
    ['run.vpt', { frames: 1 }, text.length],
  );
  assert.deepEqual(reported, [[text.length, text.length]]);
  await open(vptOf({ type: 'mark', t: 5, name: 'm' }), 'other');
  assert.equal(await nameIn('main'), 'frames/browser');
  assert.equal(await nameIn('other'), 'mark/browser');
  const budgetMs = 20;
  const range = { from: 10, to: 40 };
  const frames = await call('frames', { slot: 'main', range, budgetMs });
  assert.deepEqual(frames.value, deriveFrames(modelOf(FRAMES), range, budgetMs));
  const moment = await call('moment', { slot: 'main', range, budgetMs });
  assert.equal(moment.value?.frameCount, 2);
  assert.equal(moment.value?.bounds?.kind, 'hitch');
  const bounds = await call('bounds', { slot: 'main', budgetMs });
  assert.deepEqual(bounds.value?.shares, [{ bound: 'unknown', hitches: 1, over_ms: 30, share: 1 }]);
  const assets = await call('assets', { slot: 'main', range: null, budgetMs, most: 5 });
  assert.deepEqual(assets.value?.assets, []);
  const analysis = await call('analysis', { slot: 'main', budgetMs });
  assert.match(analysis.value?.summary.sha256 ?? '', /^[0-9a-f]{64}$/);
  const vpt = await call('vpt', { slot: 'main', notes: [] });
  assert.equal(await vpt.value?.text(), text);
  assert.deepEqual((await call('stackGroups', { slot: 'main' })).value, []);
});

test('an invalid trace is rejected with its position, and the previous trace stays', async () => {
  await open(vptOf(FRAMES));
  const { fault } = await open(`${vptOf(FRAMES)}{"type":"mark","t":-1,"name":"a"}\n`);
  assert.equal(fault?.line, 3);
  assert.equal(typeof fault?.column, 'number');
  assert.notEqual(fault?.code, 'failed');
  assert.equal(await nameIn('main'), 'frames/browser');
});

test('a cancelled open is reported as aborted, even at its end, and the previous trace stays', async () => {
  await open(vptOf(FRAMES));
  const file = new Blob([vptOf({ type: 'mark', t: 5, name: 'm' })]);
  const origin = { kind: 'file', id: 'file-1', file, name: 'b' } as const;
  const { fault } = await call('open', { slot: 'main', origin }, (done, total, cancel) => {
    if (done === total) cancel();
  });
  assert.deepEqual(fault, { code: 'aborted', message: 'Cancelled', line: null, column: null });
  assert.equal(await nameIn('main'), 'frames/browser');
});

test('folded stacks are converted without an open trace', async () => {
  await call('close', { slot: 'main' });
  const { value } = await call('convert', { file: new Blob(['main;a 1\n']) });
  assert.match((await value?.text()) ?? '', /^\{"vpt":1,.*"main","a".*"converted"\}\n$/s);
});

test('closing one slot does not affect the other', async () => {
  await open(vptOf(FRAMES));
  await open(vptOf(FRAMES), 'other');
  assert.equal((await call('close', { slot: 'other' })).value, null);
  assert.equal((await call('timeline', { slot: 'other' })).fault?.message, 'No trace is open');
  assert.equal(await nameIn('main'), 'frames/browser');
});

test('a new trace answers with its own stacks, not with cached ones', async () => {
  const functions = async (slot: Slot): Promise<readonly string[] | undefined> =>
    (await call('functions', { slot, query: WHOLE })).value?.names;
  await open('a;b 1\n');
  assert.deepEqual(await functions('main'), ['b', 'a']);
  await open('c 1\n');
  assert.deepEqual(await functions('main'), ['c']);
  await open('d 1\n', 'other');
  assert.deepEqual(await functions('other'), ['d']);
  await call('close', { slot: 'other' });
  assert.equal(await functions('other'), undefined);
});

test('new bytes of the agent are read, and a file does not grow', async () => {
  await open(vptOf(FRAMES));
  const grow = (growing: boolean) => call('grow', { token: 't', growing });
  assert.equal((await grow(true)).value, null);
  let text = vptOf(FRAMES);
  agent.answer = ({ headers }) => {
    const from = Number(/\d+/.exec(headers.get('range') ?? '')?.[0] ?? 0);
    if (from > 0 && from >= text.length) return refuse('range_not_satisfiable', 416);
    const status = from > 0 ? 206 : 200;
    return new Response(text.slice(from), { status, headers: { [TRACE_PARTIAL_HEADER]: 'true' } });
  };
  const origin = { kind: 'agent', id: 'agent-1', token: 't', name: 'live', growing: true } as const;
  const opened = await call('open', { slot: 'main', origin });
  assert.deepEqual(opened.value?.counts, { frames: 1 });
  assert.equal((await grow(true)).value, null, 'nothing is new');
  const stack =
    '{"type":"stacks","t":1,"first_name":0,"names":["f"],"first_node":0,"parents":[-1],"node_names":[0],"samples":{"node":[0],"weight":[1]},"unit":"ms"}\n';
  text += stack;
  assert.deepEqual((await grow(true)).value?.counts, { frames: 1, stacks: 1 });
  const total = async (): Promise<number | undefined> =>
    (await call('functions', { slot: 'main', query: WHOLE })).value?.sum;
  assert.equal(await total(), 1);
  text +=
    '{"type":"stacks","t":2,"first_name":1,"names":[],"first_node":1,"parents":[],"node_names":[],"samples":{"node":[0],"weight":[4]},"unit":"ms"}\n';
  await grow(true);
  assert.equal(await total(), 5, 'not the sum from before it grew');
  agent.answer = () => refuse('unauthenticated', 401, 'No such token');
  assert.deepEqual((await grow(true)).fault, {
    code: 'agent',
    message: 'No such token',
    line: null,
    column: null,
  });
});

test('a failed allocation is reported as too big', async () => {
  const huge = { size: 5 * 1024 ** 3 } as Blob;
  const origin = { kind: 'file', id: 'file-1', file: huge, name: 'huge' } as const;
  const { fault } = await call('open', { slot: 'main', origin });
  assert.deepEqual(
    [fault?.code, fault?.message],
    ['too_big', 'Its size is 5.0 GiB, and this page opens at most 4.0 GiB'],
  );
  const failing = {
    size: 5,
    slice: () => ({ arrayBuffer: () => Promise.reject(new Error('The file is gone')) }),
  };
  const gone = await call('open', {
    slot: 'main',
    origin: { kind: 'file', id: 'file-1', file: failing as unknown as Blob, name: 'gone' },
  });
  assert.deepEqual([gone.fault?.code, gone.fault?.message], ['failed', 'The file is gone']);
  const surface = {
    getContext: () => {
      throw new RangeError('Invalid array length');
    },
  };
  const drawn = await call('attachCanvas', {
    canvas: 'flame',
    surface: surface as unknown as OffscreenCanvas,
  });
  assert.equal(drawn.fault?.code, 'too_big');
  assert.match(
    drawn.fault?.message ?? '',
    /no more memory for this page \(Invalid array length\)$/,
  );
});
