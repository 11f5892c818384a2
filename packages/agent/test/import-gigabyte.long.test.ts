// Traces far larger than the memory that they may use: 1 GB is imported, exported and reported
// quickly, and the agent's memory stays small.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportTrace, importTrace } from '@svc/contracts/agent';
import { BIG_HEADER, bigTrace } from './big-trace.ts';
import { agentOptions, clientOf, startAgentProcess, temporaryFolder, vptOf } from './harness.ts';
import { costOf, upload } from './process-cost.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const GB = 1e9;
/**
 * More than the real time limit, so that a busy machine does not matter. The cost is limited by CPU
 * time.
 */
const REQUEST_MS = 400_000;

test("an import of 1 GiB and its export do not increase the agent's memory with their size", async () => {
  using folder = temporaryFolder();
  const options = agentOptions(folder.path, { importLimitBytes: 2 * GIB, requestMs: REQUEST_MS });
  await using running = await startAgentProcess(options);
  const { origin, token } = running.listening;
  const pid = running.child.pid ?? 0;
  const client = clientOf({ origin, token });
  await importTrace(client, vptOf({ type: 'mark', t: 1, name: 'warm up' }));
  const before = costOf(pid);
  const line = { type: 'log', t: 1, level: 'info', text: 'x'.repeat(60_000) };
  const block = Buffer.from(vptOf(...Array.from({ length: 16 }, () => line)));
  const records = block.subarray(block.indexOf(10) + 1);
  const count = Math.ceil(GIB / records.length);
  const header = block.subarray(0, block.indexOf(10) + 1);
  const bytes = header.length + count * records.length;
  const { status, text } = await upload(running, bytes, function* () {
    yield header;
    for (let i = 0; i < count; i++) yield records;
  });
  assert.equal(status, 200, text);
  const { trace } = await client.call('status', {});
  assert.deepEqual([trace?.bytes, trace?.records], [bytes, count * 16]);
  const exported = await exportTrace(client);
  let received = 0;
  for await (const chunk of exported?.body ?? []) received += chunk.length;
  assert.equal(received, bytes);
  assert.deepEqual((await client.call('assets', {})).assets, []);
  const after = costOf(pid);
  console.log(
    `agent: ${before.peakMiB.toFixed(0)} MiB before, ${after.peakMiB.toFixed(0)} MiB at most`,
  );
  assert.ok(after.peakMiB - before.peakMiB < 200, `grew by ${after.peakMiB - before.peakMiB} MiB`);
  assert.ok(bytes / MIB > 1000);
});

test('1 GB of asset records is imported within 20 s on two idle cores', async () => {
  using folder = temporaryFolder();
  const options = agentOptions(folder.path, { importLimitBytes: 2 * GIB, requestMs: REQUEST_MS });
  await using running = await startAgentProcess(options);
  const pid = running.child.pid ?? 0;
  const blocks = [...bigTrace(32 * MIB)];
  const round = blocks.reduce((sum, block) => sum + block.length, 0);
  const rounds = Math.ceil(GB / round);
  const bytes = BIG_HEADER.length + rounds * round;
  const before = costOf(pid);
  const began = performance.now();
  const { status, text } = await upload(running, bytes, function* () {
    yield BIG_HEADER;
    for (let i = 0; i < rounds; i++) yield* blocks;
  });
  const wallS = (performance.now() - began) / 1_000;
  const after = costOf(pid);
  assert.equal(status, 200, text);
  const cpuS = after.cpuS - before.cpuS;
  const per = `${cpuS.toFixed(1)} s of CPU, ${wallS.toFixed(1)} s by the clock`;
  console.log(`import of ${(bytes / GB).toFixed(2)} GB: ${per}, ${after.peakMiB.toFixed(0)} MiB`);
  // Checking uses one thread, and receiving and writing the bytes another. Both together stay below
  // the promised time.
  assert.ok(cpuS < 20, `took ${per}`);
  assert.ok(after.peakMiB - before.peakMiB < 300, `grew by ${after.peakMiB - before.peakMiB} MiB`);
});

test('250 MB with 1.6 million assets are reported within 10 s on two idle cores and 1 GB of memory', async () => {
  using folder = temporaryFolder();
  const options = agentOptions(folder.path, { importLimitBytes: 2 * GIB, requestMs: REQUEST_MS });
  await using running = await startAgentProcess(options);
  const { origin, token } = running.listening;
  const pid = running.child.pid ?? 0;
  const blocks = [...bigTrace(250e6)];
  const bytes = blocks.reduce((sum, block) => sum + block.length, BIG_HEADER.length);
  const { status, text } = await upload(running, bytes, () => [BIG_HEADER, ...blocks]);
  assert.equal(status, 200, text);
  const client = clientOf({ origin, token });
  const before = costOf(pid);
  const began = performance.now();
  const report = await client.call('assets', {});
  const wallS = (performance.now() - began) / 1_000;
  const after = costOf(pid);
  assert.equal(report.assets.length, 10_000);
  assert.equal(report.totals.assets, report.left_out + 10_000);
  assert.ok(report.totals.assets > 1_500_000, `${report.totals.assets} assets`);
  const cpuS = after.cpuS - before.cpuS;
  const per = `${cpuS.toFixed(1)} s of CPU, ${wallS.toFixed(1)} s by the clock`;
  console.log(`report of ${report.totals.assets} assets: ${per}, ${after.peakMiB.toFixed(0)} MiB`);
  assert.ok(cpuS < 20, `took ${per}`);
  assert.ok(after.peakMiB < 1_000e6 / MIB, `took ${after.peakMiB} MiB`);
});
