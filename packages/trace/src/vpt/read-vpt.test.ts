// The reader: complete files, torn files, and positions of errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TraceError } from '../format/errors.ts';
import { readVpt, VptReader } from './read-vpt.ts';

const HEADER =
  '{"vpt":1,"producer":{"name":"t","version":"0"},"started_at":null,"sources":["native"]}\n';

function errorOf(text: string | Uint8Array): { code: string; line: number; column: number } {
  try {
    readVpt(text);
  } catch (error) {
    if (error instanceof TraceError)
      return { code: error.code, line: error.line, column: error.column };
    throw error;
  }
  assert.fail('it was read');
}

test('readVpt returns the records and the clean end', () => {
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

test('readVpt ignores a torn last line and counts its bytes', () => {
  const trace = readVpt(`${HEADER}{"type":"mark","t":1,"name":"a"}\n{"type":"ma`);
  assert.equal(trace.records, 1);
  assert.equal(trace.torn_bytes, 11);
  assert.equal(trace.end, null);
});

test('VptReader does not keep trailing NUL bytes, and rejects the line if other bytes follow them', () => {
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

test('VptReader rejects a line that begins with NUL bytes, wherever it is split', () => {
  const bytes = new TextEncoder().encode(`${HEADER}\0\0{"type":"mark","t":1,"name":"a"}\n`);
  for (let at = HEADER.length; at <= bytes.length; at++) {
    const reader = new VptReader({});
    assert.throws(
      () => {
        reader.push(bytes.subarray(0, at));
        reader.push(bytes.subarray(at));
      },
      { code: 'nul', line: 2, column: 1 },
      `${at}`,
    );
  }
});

test('VptReader accepts a line of 1 MiB and rejects one byte more, wherever it is split', () => {
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

test('readVpt rejects a long line for its first fault, a NUL byte or the length, wherever it is split', () => {
  for (const [nulAt, code] of [
    [0, 'nul'],
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

test('VptReader passes on the header first, then each record once with its line number', () => {
  const lines = [
    '{"type":"mark","t":1,"name":"short way"}',
    ' {"type":"mark","t":2,"name":"long way"}',
    '{"type":"frames","t":3,"duration_ms":[1]}',
    '{"type":"sparkle","t":4}',
    '{"type":"asset","t":5,"id":1,"name":"a","kind":"mesh","phase":"load"}',
    '{"type":"end","t":6,"reason":"off"}',
  ];
  const reported: unknown[] = [];
  const reader = new VptReader({
    header: ({ vpt, sources }) => reported.push([vpt, sources]),
    record: ({ type, t }, line) => reported.push([type, t, line]),
  });
  const bytes = new TextEncoder().encode(`${HEADER}${lines.join('\n')}`);
  for (const byte of bytes) reader.push(Uint8Array.of(byte));
  const { records, bytes: all, torn_bytes } = reader.finish();
  assert.deepEqual(reported, [
    [1, ['native']],
    ['mark', 1, 2],
    ['mark', 2, 3],
    ['frames', 3, 4],
    ['unknown', 4, 5],
    ['asset', 5, 6],
    ['end', 6, 7],
  ]);
  assert.deepEqual([records, all, torn_bytes], [6, bytes.length, 0]);
});

test('readVpt reports why a file has no header', () => {
  const cut = HEADER.slice(0, HEADER.indexOf('"t"') + 2);
  const rows: readonly (readonly [string | Uint8Array, string, number, string])[] = [
    ['', 'not_a_trace', 1, 'Cannot read a trace: the file is empty'],
    ['\0\0', 'not_a_trace', 1, 'Cannot read a trace: the file begins with a NUL byte'],
    ['\0\n', 'nul', 1, 'Cannot read line 1: it contains a NUL byte'],
    [
      cut,
      'not_a_trace',
      cut.length - 1,
      'Cannot read line 1: it is not a JSON object; a .vpt file begins with {"vpt":1,…',
    ],
    [
      '[1]\n',
      'not_a_trace',
      1,
      'Cannot read line 1: it is not a header; a .vpt file begins with {"vpt":1,…',
    ],
    [
      Uint8Array.of(...new TextEncoder().encode(cut), 0xf0, 0x9f, 0x98),
      'not_a_trace',
      cut.length + 1,
      'Cannot read line 1: the header ends too early',
    ],
    [
      Uint8Array.of(...new TextEncoder().encode(cut), 0xf0, 0x9f, 0x41),
      'invalid_utf8',
      cut.length + 1,
      'Cannot read line 1: it is not valid UTF-8',
    ],
    [
      Uint8Array.of(0xef, 0xbb, 0xbf, 123),
      'byte_order_mark',
      1,
      'Cannot read a trace: it begins with a UTF-8 byte-order mark; save it as UTF-8 without one',
    ],
    ...[
      [0xff, 0xfe],
      [0xfe, 0xff],
    ].map(
      ([first = 0, second = 0]) =>
        [
          Uint8Array.of(first, second, 123, 0),
          'byte_order_mark',
          1,
          'Cannot read a trace: it begins with a UTF-16 byte-order mark; save it as UTF-8 without one',
        ] as const,
    ),
  ];
  for (const [file, code, column, message] of rows) {
    assert.throws(() => readVpt(file), { code, line: 1, column, message }, message);
  }
  assert.equal(readVpt(HEADER.trimEnd()).records, 0, 'a header without its LF counts');
});

test('a last line without LF is checked if it is JSON, else it is torn', () => {
  const last = (...end: (string | number)[]): Uint8Array =>
    Buffer.concat(
      [HEADER, ...end].map((one) => (typeof one === 'string' ? Buffer.from(one) : Buffer.of(one))),
    );
  assert.throws(() => readVpt(last('{"type":"mark","t":-1,"name":"a"}')), {
    code: 'invalid_record',
    line: 2,
    column: 20,
  });
  assert.throws(() => readVpt(last('5')), { code: 'invalid_record', line: 2, column: 1 });
  assert.throws(() => readVpt(last('{"na', 0xff)), { code: 'invalid_utf8', line: 2, column: 5 });
  assert.throws(() => readVpt(last('{"na', 0xe2, 0x28)), { code: 'invalid_utf8', column: 5 });
  const torn: readonly (readonly [Uint8Array, number])[] = [
    [last('{'), 1],
    [last('no json'), 7],
    [last('{"na', 0xe2, 0x82), 6],
    [last('{"type":"mark","t":1,"name":"a"}', 0xe2), 33],
    [last('{"na', 0, 0xff, 65), 7],
    [last(0), 1],
    [last('\n').subarray(0, HEADER.length), 0],
  ];
  for (const [file, bytes] of torn) {
    const { records, torn_bytes, end, bytes: all } = readVpt(file);
    assert.deepEqual([records, torn_bytes, end, all], [0, bytes, null, file.length]);
  }
});

test('invalid UTF-8 is rejected at its first byte, in any line and by every fast path', () => {
  const wrong: readonly (readonly number[])[] = [
    [0x80],
    [0xe9],
    [0xc0, 0xaf],
    [0xe2, 0x82],
    [0xe0, 0x9f, 0xbf],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xff],
  ];
  const asset = '{"type":"asset","t":1,"id":1,"kind":"mesh","phase":"load","name":"';
  const mark = '{"type":"mark","t":1,"name":"';
  const starts = [mark, ` ${mark}`, asset].flatMap((start) => [start, `${start}é`]);
  for (const start of starts) {
    const before = new TextEncoder().encode(`${HEADER}${start}`);
    for (const bytes of wrong) {
      const file = Uint8Array.of(...before, ...bytes, 34, 125, 10);
      const column = Buffer.byteLength(start) + 1;
      assert.throws(() => readVpt(file), { code: 'invalid_utf8', line: 2, column }, `${bytes}`);
    }
    const nul = Uint8Array.of(...before, 0, 34, 125, 10);
    assert.throws(() => readVpt(nul), {
      code: 'nul',
      line: 2,
      column: Buffer.byteLength(start) + 1,
    });
  }
});

test('after the first line, a byte-order mark is an ordinary character', () => {
  const mark = '{"type":"mark","t":1,"name":"\ufeffa\ufeff"}';
  for (const blank of ['', ' ']) {
    const [record] = readVpt(`${HEADER}${blank}${mark}\n`).lines;
    assert.deepEqual(record, { type: 'mark', t: 1, name: '\ufeffa\ufeff' });
  }
  assert.deepEqual(errorOf(`${HEADER}\ufeff${mark}\n`), {
    code: 'invalid_json',
    line: 2,
    column: 1,
  });
});

test('only NUL bytes may follow the end', () => {
  const end = '{"type":"end","t":2,"reason":"off"}\n';
  for (const more of ['\n', ' ', '{', 'x\n', end, '\r\n', '{"type":"mark","t":1,"name":"a"}\n']) {
    assert.throws(
      () => readVpt(`${HEADER}${end}${more}`),
      {
        code: 'after_end',
        line: 3,
        column: 1,
        message: 'Cannot read line 3: it follows the "end" record',
      },
      JSON.stringify(more),
    );
  }
  const { torn_bytes, end: read } = readVpt(`${HEADER}${end}\0\0\0`);
  assert.deepEqual([torn_bytes, read?.t], [3, 2]);
});

test('every fast path reads a number as the nearest double', () => {
  const numerals =
    '0 7 0.1 100.000 0.30000000000000004 123456789012.345 930176.5429074511 977062.9318060647 292560.37555352241 39598.830572471012 12345678.12345678 0.000000000000001 0.1234567890123456789 1e12 1E3 1.5e+2 25e-1 5e-324'.split(
      ' ',
    );
  for (const numeral of numerals) {
    const value = Number(numeral);
    for (const blank of ['', ' ']) {
      const { lines } = readVpt(
        `${HEADER}${blank}{"type":"frames","t":1,"duration_ms":[${numeral}]}\n${blank}{"type":"counter","t":1,"name":"a","unit":"b","value":${numeral}}\n`,
      );
      assert.deepEqual(lines, [
        { type: 'frames', t: 1, duration_ms: [value] },
        { type: 'counter', t: 1, name: 'a', unit: 'b', value },
      ]);
    }
  }
});

test('readVpt reports the position of an invalid value in bytes', () => {
  assert.deepEqual(errorOf(`${HEADER}{"type":"mark","name":"é","t":-1}\n`), {
    code: 'invalid_record',
    line: 2,
    column: 32,
  });
  assert.deepEqual(errorOf(`${HEADER}{"type":"mark",}\n`), {
    code: 'invalid_json',
    line: 2,
    column: 16,
  });
});

test('VptReader returns the same result wherever a chunk is split', () => {
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

test('readVpt finds a duplicate key, however the line is spelled', () => {
  const lines = [
    '{"type":"mark","t":1,"name":"a","name":"b"}',
    '{"type":"mark","t":1,"name" :"a","name":"b"}',
    '{"type":"mark","t":1,"name":"\\":","name"\t:"b"}',
    '{"type":"mark","t":1,"name":"\\":","name"\r:"b"}',
    '{"type":"mark","t":1,"name":"a\\\\","name":"b"}',
    '{"type":"mark","t":1,"x":"}\\":\\\\","name":"a","name":{}}',
    '{"type":"mark","t":1,"n\\u0061me":"a","name":"b"}',
    '{"type":"mark","t":1,"name":"a","x":{"y":1,"y":2}}',
    '{"type":"mark","t":1,"name":"a","x":{"y":1},"x":{"y":2}}',
    '{"type":"mark","t":1,"name":"a","x":{"y":{"z":1,"z":2}}}',
    '{"type":"mark","t":1,"name":"a","x":[{"y":1,"y":2}]}',
    '{"type":"mark","t":1,"name":"a","name":"}{\\":","x":{}}',
    ' {"type":"mark","t":1,"name":"{","name":"b"}',
  ];
  for (const line of lines) assert.equal(errorOf(`${HEADER}${line}\n`).code, 'duplicate_key', line);
  const sound = [
    '{"type":"mark","t":1,"name":"\\":\\":"}',
    '{"type" : "mark" , "t" : 1 , "name" : "a\\"b"}',
    '{"type":"mark","t":1,"name":"type","type2":"name"}',
    '{"type":"mark","t":1 ,"name":"a\\\\","x":1,"y":{"x":"x","y":["x",{"x":1},{"x":1}]}}',
    '{"type":"mark","t":1,"name":"\\\\\\":","x":"\\\\\\"","y" :"x"}',
  ];
  for (const line of sound) assert.equal(readVpt(`${HEADER}${line}\n`).records, 1, line);
});
