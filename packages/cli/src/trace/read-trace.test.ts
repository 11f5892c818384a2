// Messages about files that cannot be read.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Io } from '../process/io.ts';
import { readTrace } from './read-trace.ts';

const NOTHING = { push() {}, finish: () => null };

test('readTrace explains why a file cannot be read, and passes on other errors', async () => {
  const read = (error: Error) => {
    const stdin = Readable.from(
      (async function* () {
        yield Buffer.from('x');
        throw error;
      })(),
    );
    return readTrace('-', { stdin, cwd: '/' } as unknown as Io, NOTHING);
  };
  for (const [code, reason] of [
    ['EACCES', 'you are not allowed to read it'],
    ['EPERM', 'you are not allowed to read it'],
    ['EIO', 'input/output error'],
  ] as const) {
    const error = Object.assign(new Error('input/output error'), { code, syscall: 'read' });
    await assert.rejects(read(error), {
      exitCode: 1,
      code: 'unreadable_file',
      message: `Cannot read "standard input": ${reason}.`,
    });
  }
  const fault = new Error('a fault of ours');
  for (const other of [fault, Object.assign(new Error('another'), { code: 'ERR_X' })]) {
    await assert.rejects(read(other), other);
  }
});
