// A trace far larger than the memory it may cost: 1 GiB streams in, out and into a report, and the agent stays small.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { createAgentClient } from '@svc/contracts/agent';
import { agentOptions, startAgentProcess, temporaryFolder, vptOf } from './harness.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const REQUEST_MS = 400_000;

/** Resident memory of a process that it does not share with files, and its highest. */
function memoryOf(pid: number): { nowMiB: number; peakMiB: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
  return { nowMiB: field('VmRSS'), peakMiB: field('VmHWM') };
}

test('an import of 1 GiB and its export cost the agent no memory that grows with it', async () => {
  using folder = temporaryFolder();
  const options = agentOptions(folder.path, { importLimitBytes: 2 * GIB, requestMs: REQUEST_MS });
  await using running = await startAgentProcess(options);
  const { origin, token, port } = running.listening;
  const pid = running.child.pid ?? 0;
  const client = createAgentClient({ origin, token, fetch });
  await client.importTrace(vptOf({ type: 'mark', t: 1, name: 'warm up' }));
  const before = memoryOf(pid);
  const line = { type: 'log', t: 1, level: 'info', text: 'x'.repeat(60_000) };
  const block = Buffer.from(vptOf(...Array.from({ length: 16 }, () => line)));
  const records = block.subarray(block.indexOf(10) + 1);
  const count = Math.ceil(GIB / records.length);
  const header = block.subarray(0, block.indexOf(10) + 1);
  const bytes = header.length + count * records.length;
  const answer = Promise.withResolvers<number>();
  const upload = request(
    {
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/api/trace',
      headers: { authorization: `Bearer ${token}`, 'content-length': bytes },
    },
    (response) => {
      response.resume();
      answer.resolve(response.statusCode ?? 0);
    },
  );
  function* body(): Generator<Buffer> {
    yield header;
    for (let i = 0; i < count; i++) yield records;
  }
  await Promise.all([
    pipeline(Readable.from(body(), { objectMode: false }), upload),
    answer.promise,
  ]);
  assert.equal(await answer.promise, 200);
  const { trace } = await client.status();
  assert.deepEqual([trace?.bytes, trace?.records], [bytes, count * 16]);
  const exported = await client.exportTrace();
  let received = 0;
  for await (const chunk of exported?.body ?? []) received += chunk.length;
  assert.equal(received, bytes);
  assert.deepEqual((await client.assets()).assets, []);
  const after = memoryOf(pid);
  console.log(
    `agent: ${before.peakMiB.toFixed(0)} MiB before, ${after.peakMiB.toFixed(0)} MiB at most`,
  );
  assert.ok(after.peakMiB - before.peakMiB < 200, `grew by ${after.peakMiB - before.peakMiB} MiB`);
  assert.ok(bytes / MIB > 1000);
});
