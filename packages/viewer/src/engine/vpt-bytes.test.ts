import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vptOf } from '../../test/build-trace.ts';
import { fetchMore } from './fetch-trace.ts';
import { type Job, loadTrace } from './load.ts';
import { vptBytes } from './vpt-bytes.ts';

const job: Job = { signal: new AbortController().signal, progress: () => undefined };
const fileOf = (text: string) =>
  ({ kind: 'file', id: 'file-1', file: new Blob([text]), name: 'a' }) as const;

test('a .vpt file is exported unchanged', async () => {
  const origin = fileOf(vptOf({ type: 'mark', t: 1, name: 'a' }));
  assert.equal(await vptBytes(await loadTrace(origin, job, fetchMore), job), origin.file);
});

test('folded stacks are exported as an equivalent .vpt', async () => {
  const lines = Array.from({ length: 500 }, (_, i) => `main;f${i % 50};g${i} ${i + 1}\n`);
  const trace = await loadTrace(fileOf(lines.join('')), job, fetchMore);
  const bytes = await vptBytes(trace, job);
  const again = await loadTrace(
    { kind: 'file', id: 'file-1', file: bytes, name: 'a' },
    job,
    fetchMore,
  );
  assert.deepEqual([trace.format, again.format, again.info.partial], ['folded', 'vpt', false]);
  const tree = (of: typeof trace) => {
    const [stacks] = of.model.stacks;
    return [stacks?.tree.length, stacks?.tree.samples, stacks?.tree.unit];
  };
  assert.deepEqual(tree(again), tree(trace));
});

test('an aborted conversion stops', async () => {
  const trace = await loadTrace(fileOf('a;b 1\n'), job, fetchMore);
  const stopped = { ...job, signal: AbortSignal.abort(new Error('given up')) };
  await assert.rejects(vptBytes(trace, stopped), /given up/);
});
