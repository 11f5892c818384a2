// The reader through its door: whole files, torn ones, and places of errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TraceError } from '../errors.ts';
import { readVpt, VptReader } from './read-vpt.ts';

const HEADER =
  '{"vpt":1,"producer":{"name":"t","version":"0"},"started_at":null,"sources":["native"]}\n';

function refusal(text: string | Uint8Array): { code: string; line: number; column: number } {
  try {
    readVpt(text);
  } catch (error) {
    if (error instanceof TraceError)
      return { code: error.code, line: error.line, column: error.column };
    throw error;
  }
  assert.fail('it was read');
}

test('readVpt hands out records and the clean end', () => {
  const trace = readVpt(
    `${HEADER}{"type":"process","t":1000,"rss_bytes":5}\n{"type":"end","t":2000,"reason":"off"}\n`,
  );
  assert.deepEqual(
    trace.lines.map((record) => record.type),
    ['process', 'end'],
  );
  assert.equal(trace.end?.reason, 'off');
  assert.equal(trace.torn_bytes, 0);
});

test('readVpt leaves a torn last line out and counts its bytes', () => {
  const trace = readVpt(`${HEADER}{"type":"mark","t":1,"name":"a"}\n{"type":"ma`);
  assert.equal(trace.records, 1);
  assert.equal(trace.torn_bytes, 11);
  assert.equal(trace.end, null);
});

test('VptReader holds no NUL tail, however long, and refuses it as soon as a line goes on after it', () => {
  const start = new TextEncoder().encode(`${HEADER}{"type":"mark","t":1,"name":"a"}\n{"ty`);
  const reader = new VptReader({});
  reader.push(start);
  for (let i = 0; i < 40; i++) reader.push(new Uint8Array(65_536));
  assert.equal(reader.finish().torn_bytes, 4 + 40 * 65_536);
  reader.push(new TextEncoder().encode('pe":'));
  assert.throws(() => reader.push(Uint8Array.of(10)), {
    code: 'nul',
    line: 3,
    column: 5,
  });
});

test('VptReader takes a line of 1 MiB and refuses one byte more, wherever it is split', () => {
  const record = '{"type":"mark","t":1,"name":"a"}';
  const read = (length: number, end: string, size: number): number => {
    const file = new TextEncoder().encode(`${HEADER}${record.padEnd(length)}${end}`);
    const reader = new VptReader({});
    for (let at = 0; at < file.length; at += size) reader.push(file.subarray(at, at + size));
    return reader.finish().records;
  };
  for (const end of ['\n', '']) {
    for (const size of [2_097_152, 65_536]) {
      assert.equal(read(1_048_576, end, size), 1);
      assert.throws(() => read(1_048_577, end, size), {
        code: 'line_too_long',
        line: 2,
        column: 1_048_577,
      });
    }
  }
});

test('readVpt refuses a long line for what comes first in it, a NUL byte or its length, wherever it is split', () => {
  for (const [nulAt, code] of [
    [1_048_575, 'nul'],
    [1_048_576, 'nul'],
    [1_048_577, 'line_too_long'],
  ] as const) {
    const bytes = new Uint8Array(1_048_600).fill(97);
    bytes[nulAt] = 0;
    bytes[bytes.length - 1] = 10;
    const file = new Uint8Array([...new TextEncoder().encode(HEADER), ...bytes]);
    for (const size of [file.length, 65_536]) {
      const reader = new VptReader({});
      assert.throws(
        () => {
          for (let at = 0; at < file.length; at += size) reader.push(file.subarray(at, at + size));
        },
        { code, line: 2, column: nulAt === 1_048_577 ? 1_048_577 : nulAt + 1 },
      );
    }
  }
});

test('readVpt places a fault at the value, in bytes', () => {
  assert.deepEqual(refusal(`${HEADER}{"type":"mark","name":"é","t":-1}\n`), {
    code: 'invalid_record',
    line: 2,
    column: 32,
  });
  assert.deepEqual(refusal(`${HEADER}{"type":"mark",}\n`), {
    code: 'invalid_json',
    line: 2,
    column: 16,
  });
});

test('VptReader gives the same for every place a chunk may be split at', () => {
  const bytes = new TextEncoder().encode(
    `${HEADER}{"type":"mark","t":1,"name":"añ"}\r\n{"type":"end","t":2,"reason":"off"}`,
  );
  for (let at = 0; at <= bytes.length; at++) {
    const names: string[] = [];
    const reader = new VptReader({ record: (record) => names.push(record.type) });
    reader.push(bytes.subarray(0, at));
    reader.push(bytes.subarray(at));
    assert.equal(reader.finish().end?.reason, 'off');
    assert.deepEqual(names, ['mark', 'end']);
  }
});

test('readVpt finds a key that is there twice, however the line is spelled', () => {
  const lines = [
    '{"type":"mark","t":1,"name":"a","name":"b"}',
    '{"type":"mark","t":1,"name" :"a","name":"b"}',
    '{"type":"mark","t":1,"name":"\\":","name"\t:"b"}',
    '{"type":"mark","t":1,"n\\u0061me":"a","name":"b"}',
    '{"type":"mark","t":1,"name":"a","x":{"y":1,"y":2}}',
    '{"type":"mark","t":1,"name":"a","x":{"y":1},"x":{"y":2}}',
    '{"type":"mark","t":1,"name":"a","x":{"y":{"z":1,"z":2}}}',
    '{"type":"mark","t":1,"name":"a","x":[{"y":1,"y":2}]}',
    '{"type":"mark","t":1,"name":"a","name":"}{\\":","x":{}}',
    ' {"type":"mark","t":1,"name":"{","name":"b"}',
  ];
  for (const line of lines) assert.equal(refusal(`${HEADER}${line}\n`).code, 'duplicate_key', line);
  const sound = [
    '{"type":"mark","t":1,"name":"\\":\\":"}',
    '{"type" : "mark" , "t" : 1 , "name" : "a\\"b"}',
    '{"type":"mark","t":1,"name":"type","type2":"name"}',
  ];
  for (const line of sound) assert.equal(readVpt(`${HEADER}${line}\n`).records, 1, line);
});
