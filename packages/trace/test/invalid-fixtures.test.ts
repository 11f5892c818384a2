// Every file in fixtures/invalid is rejected with the code at the start of its name, whole and in pieces.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FoldedTreeReader, type PushReader, TraceError, VptReader } from '../src/index.ts';

const FOLDER = new URL('../fixtures/invalid/', import.meta.url);

function errorOf(reader: PushReader<unknown>, chunks: readonly Uint8Array[]): TraceError {
  try {
    for (const chunk of chunks) reader.push(chunk);
    reader.finish();
  } catch (error) {
    if (error instanceof TraceError) return error;
    throw error;
  }
  assert.fail('it was read');
}

function pieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, i) => bytes.slice(i * size, (i + 1) * size));
}

const open = (file: string): PushReader<unknown> =>
  file.endsWith('.folded') ? new FoldedTreeReader() : new VptReader({});

for (const file of readdirSync(FOLDER).sort()) {
  test(`fixtures/invalid/${file} is rejected with its code and a position`, () => {
    const bytes = readFileSync(new URL(file, FOLDER));
    const error = errorOf(open(file), [bytes]);
    assert.equal(error.code, file.split('--')[0], error.message);
    const lines = bytes.toString('latin1').split('\n');
    assert.ok(error.line >= 1 && error.line <= lines.length, `line ${error.line}`);
    const line = lines[error.line - 1] ?? '';
    assert.ok(error.column >= 1 && error.column <= line.length + 1, `column ${error.column}`);
    assert.match(error.message, /^Cannot /);
    assert.ok(error.message.length < 500);
    const { code, message, line: atLine, column } = errorOf(open(file), pieces(bytes, 7));
    assert.deepEqual(
      [code, message, atLine, column],
      [error.code, error.message, error.line, error.column],
    );
  });
}
