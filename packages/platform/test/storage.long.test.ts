// Runs the tests of other files again with the files in an object store.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Ceph, cephMissing, startCeph } from './start-ceph.ts';

/** Time limit of a test file. A file that hangs is ended, after it could report where. */
const FILE_MS = 600_000;

const missing = cephMissing();
const skip = missing ?? false;
let ceph: Ceph;
before(async () => {
  if (missing === null) ceph = await startCeph();
});
after(async () => {
  if (missing === null) await ceph[Symbol.asyncDispose]();
});

async function runTests(file: string): Promise<void> {
  const path = join(import.meta.dirname, `${file}.test.ts`);
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const SVC_TEST_STORAGE = JSON.stringify(await ceph.newStorage());
  const child = spawn(
    process.execPath,
    ['--test', '--test-concurrency=1', '--test-reporter=tap', path],
    {
      env: { ...environment, SVC_TEST_STORAGE },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: FILE_MS,
    },
  );
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close', { signal: AbortSignal.timeout(FILE_MS + 30_000) });
  const output = Buffer.concat(chunks).toString();
  const faults = output
    .split('\n')
    .filter((line) => /not ok|error|code:|expected|actual/.test(line));
  assert.equal(code, 0, faults.join('\n'));
  assert.ok(Number(/^# pass (\d+)$/m.exec(output)?.[1] ?? 0) > 0);
}

const FILES = [
  'media-access',
  'play',
  'compressed',
  'uploads',
  'parts',
  'parts-races',
  'grace',
  'withdrawn',
  'transactions',
];
for (const file of FILES) {
  test(`${file} on S3`, { skip }, () => runTests(file));
}
