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
  assert.equal(await vptBytes(await loadTrace(origin, job, fetchMore), [], job), origin.file);
});

test('notes are inserted before the end, also into a trace that was compressed or has a torn end', async () => {
  const note = { type: 'note', t: 3, id: 'x', text: 'here' } as const;
  const text = vptOf({ type: 'mark', t: 1, name: 'a' }, { type: 'end', t: 9, reason: 'off' });
  const gzip = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  const compressed = await new Response(gzip).blob();
  for (const file of [new Blob([text]), compressed]) {
    const origin = { ...fileOf(''), file };
    const trace = await loadTrace(origin, job, fetchMore);
    const bytes = await vptBytes(trace, [note], job);
    const again = await loadTrace({ ...origin, file: bytes }, job, fetchMore);
    assert.deepEqual(again.info.notes, [note]);
    assert.deepEqual([again.info.records, again.info.endReason], [3, 'off']);
  }
  const torn = await loadTrace(
    fileOf(`${text.split('\n').slice(0, 2).join('\n')}\n{"ty`),
    job,
    fetchMore,
  );
  const bytes = await (await vptBytes(torn, [note], job)).text();
  assert.deepEqual(bytes.split('\n').slice(1), [
    JSON.stringify({ type: 'mark', t: 1, name: 'a' }),
    JSON.stringify(note),
    '{"ty',
  ]);
});

test('folded stacks are exported as an equivalent .vpt', async () => {
  const lines = Array.from({ length: 500 }, (_, i) => `main;f${i % 50};g${i} ${i + 1}\n`);
  const trace = await loadTrace(fileOf(lines.join('')), job, fetchMore);
  const bytes = await vptBytes(trace, [], job);
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
  await assert.rejects(vptBytes(trace, [], stopped), /given up/);
});
