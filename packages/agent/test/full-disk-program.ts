// Runs in a mount namespace where argv[3] is a 1 MiB disk. Fills the disk during a capture and
// asserts the result.
import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError, exportTrace, importTrace } from '@svc/contracts/agent';
import { readVpt } from '@svc/trace';
import { type AgentOptions, startAgent } from '../src/index.ts';
import { clientOf, parseOptions, until, vptOf } from './harness.ts';

const given = parseOptions(process.argv[2]);
const disk = process.argv[3] ?? '';
// The header nearly fills the first page of the recording, so that the few samples of a test need
// the next one.
const version = 'x'.repeat(3_500);
const options: AgentOptions = { ...given, dataDir: join(disk, 'data'), version };

/** Writes until nothing more fits. Returns the file to remove. */
function fill(name: string): string {
  const path = join(disk, name);
  const file = openSync(path, 'w');
  for (const size of [65_536, 4_096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size, 1));
    } catch (error) {
      assert.match(String(error), /ENOSPC/);
    }
  }
  closeSync(file);
  return path;
}

const isFull = (error: unknown): boolean =>
  error instanceof AgentError && error.code === 'storage_full' && error.status === 507;

const first = await startAgent(options);
const before = clientOf(first);
const filler = fill('filler-1');
await assert.rejects(before.call('start', {}), isFull, 'nothing to record to');
assert.deepEqual(readdirSync(join(options.dataDir, 'traces')), [], 'nothing is left of it');
assert.equal((await before.call('status', {})).state, 'inactive');
rmSync(filler);
const kept = vptOf({ type: 'mark', t: 1, name: 'kept' });
await importTrace(before, kept);
const large = vptOf(
  ...Array.from({ length: 40 }, () => ({
    type: 'log',
    t: 1,
    level: 'x',
    text: 'y'.repeat(50_000),
  })),
);
await assert.rejects(importTrace(before, large), isFull, 'an import over the disk');
assert.equal(await (await exportTrace(before))?.response.text(), kept);

await before.call('start', {});
await until(
  () => before.call('status', {}),
  ({ trace }) => trace?.origin === 'capture' && trace.records >= 1,
);
fill('filler-2');
const note = { id: 1, t: 0, text: 'x'.repeat(16_000) };
const adding = (): Promise<unknown> => before.call('add_notes', { body: { notes: [note] } });
await assert.rejects(adding, isFull, 'a note without room');
const full = await until(
  () => before.call('status', {}),
  ({ trace }) => trace?.truncated === true,
);
assert.equal(full.state, 'capturing');
assert.equal(full.trace?.partial, true, 'the capture goes on');
// The last lines are written shortly after the status reports the truncation.
const whole = await until(
  async () => {
    const exported = await exportTrace(before);
    const { end } = readVpt(Buffer.from((await exported?.response.text()) ?? ''));
    return { partial: exported?.partial, reason: end?.reason };
  },
  ({ reason }) => reason === 'disk_full',
  'the export has its end',
);
assert.equal(whole.partial, true, 'an export during capture is partial');
const t = full.metric?.t ?? 0;
await until(
  () => before.call('status', {}),
  ({ metric }) => (metric?.t ?? 0) > t,
  'the live view to go on',
);
await assert.rejects(adding, isFull, 'a note after the end of the file');
const ending = await before.call('off', {});
assert.equal(ending.trace?.truncated, true);
const { lines, end } = readVpt(readFileSync(ending.trace?.path ?? ''));
assert.equal(end?.reason, 'disk_full');
assert.deepEqual(
  lines.slice(-2).map((line) => line.type),
  ['loss', 'end'],
);
assert.ok(!lines.some((line) => line.type === 'note'));
await first.ended;
console.log('full disk: all held');
