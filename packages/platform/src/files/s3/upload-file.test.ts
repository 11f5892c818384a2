import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { UploadPartCommand } from '@aws-sdk/client-s3';
import { createTurns, type Turns } from '../turns.ts';
import type { StoreConnection } from './connect-store.ts';
import { removeObjects } from './list-objects.ts';
import { putObject, uploadFile } from './upload-file.ts';

const MIB = 1024 * 1024;
const never = new AbortController().signal;

/** A connection to a store that accepts each request. Records the additional time of each call, and the sizes of parts. */
function createConnection() {
  const extra: number[] = [];
  const parts: [number: number | undefined, bytes: number][] = [];
  const client = {
    async send(command: unknown) {
      if (command instanceof UploadPartCommand) {
        const { PartNumber, Body } = command.input;
        parts.push([PartNumber, (Body as Buffer).length]);
      }
      return { UploadId: 'upload', ETag: 'part' };
    },
  };
  const connection = {
    ...{ client, patientClient: client, bucket: 'games', prefix: '' },
    call: (call: { extraMs?: number }, work: (options: object) => Promise<unknown>) => {
      extra.push(call.extraMs ?? 0);
      return work({});
    },
  } as unknown as StoreConnection;
  return { connection, extra, parts };
}

test('an upload may take a second longer for each MiB', async () => {
  const { connection, extra } = createConnection();
  for (const bytes of [0, 1, 3 * MIB]) await putObject(connection, 'a', Buffer.alloc(bytes));
  assert.deepEqual(extra, [0, 1, 3 * 1024]);
});

test('a large file is sent in parts of 8 MiB, each with time for its bytes, and a minute to join them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-upload-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'large');
  await writeFile(path, '');
  await truncate(path, 17 * MIB);
  const { connection, extra, parts } = createConnection();
  await uploadFile(connection, createTurns(1), { key: 'a', path }, never);
  assert.deepEqual(parts, [
    [1, 8 * MIB],
    [2, 8 * MIB],
    [3, MIB],
  ]);
  assert.deepEqual(extra, [0, 8 * 1024, 8 * 1024, 1024, 60_000]);
});

test('a file that becomes shorter while it is sent is an error', { timeout: 30_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-upload-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'file');
  await writeFile(path, 'content');
  const turns: Turns = {
    waiting: 0,
    async run(_, work) {
      await truncate(path, 3);
      return work();
    },
  };
  const { connection, extra } = createConnection();
  await assert.rejects(uploadFile(connection, turns, { key: 'a', path }, never), /became shorter/);
  assert.deepEqual(extra, [], 'nothing is stored');
});

test('a removal may take longer for each file', async () => {
  const { connection, extra } = createConnection();
  await removeObjects(
    connection,
    Array.from({ length: 1_100 }, (_, index) => `a/${index}`),
  );
  assert.deepEqual(extra, [20_000, 2_000], 'at most 1000 files in a request');
});
