// The body of an upload, byte by byte, and its reported progress.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../test/svc.ts';
import { uploadBytes, uploadForm } from './upload.ts';

async function read(bytes: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('uploadForm sends version, notes and the ZIP under a plain name, and reports its progress', async (t) => {
  const path = join(temporaryFolder(t), 'my "gäme".zip');
  const zip = Buffer.from([0x50, 0x4b, 0, 0xff, 0x0d, 0x0a]);
  writeFileSync(path, zip);
  assert.equal(uploadBytes(path), 6);
  const reported: (number | 'end')[] = [];
  const progress = {
    update: (bytes: number) => reported.push(bytes),
    end: () => reported.push('end'),
  };
  const upload = { zipPath: path, signal: new AbortController().signal, progress };
  const form = uploadForm({ ...upload, fields: { version: '1.0', notes: 'ü\n' } });
  const [, boundary = ''] =
    /^multipart\/form-data; boundary=(svc-[0-9a-f]{36})$/.exec(form.type) ?? [];
  const head = [
    `--${boundary}`,
    'content-disposition: form-data; name="version"',
    '',
    '1.0',
    `--${boundary}`,
    'content-disposition: form-data; name="notes"',
    '',
    'ü\n',
    `--${boundary}`,
    'content-disposition: form-data; name="build"; filename="my__g_me_.zip"',
    'content-type: application/zip',
    '',
    '',
  ].join('\r\n');
  assert.deepEqual(
    await read(form.bytes),
    Buffer.concat([Buffer.from(head), zip, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  );
  assert.deepEqual(reported, [6, 'end']);
  const other = uploadForm({ ...upload, fields: { version: '1.0', notes: null } });
  assert.notEqual(other.type, form.type);
  assert.ok(!(await read(other.bytes)).includes('notes'));
});

test('uploadForm sends a ZIP in several pieces with a running total, and stops when its signal is aborted', async (t) => {
  const path = join(temporaryFolder(t), 'a.zip');
  writeFileSync(path, Buffer.alloc(600 * 1024));
  const reported: number[] = [];
  const stop = new AbortController();
  const upload = {
    zipPath: path,
    fields: { version: '1', notes: null },
    signal: stop.signal,
    progress: { update: (bytes: number) => reported.push(bytes), end() {} },
  };
  await read(uploadForm(upload).bytes);
  assert.ok(reported.length > 1, String(reported));
  assert.deepEqual(
    reported,
    reported.toSorted((a, b) => a - b),
  );
  assert.equal(reported.at(-1), 600 * 1024);
  stop.abort();
  await assert.rejects(read(uploadForm(upload).bytes));
});
