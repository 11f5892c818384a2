// Compares the checks of UTF-8 with the runtime’s decoder and encoder.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInvalidUtf8, utf8Length } from './utf8.ts';

/** The bytes at which a rule of UTF-8 begins or ends, and their neighbours. */
const EDGES = [
  0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
  0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
];

const decoder = new TextDecoder('utf-8', { fatal: true });

function isText(bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

test('findInvalidUtf8 and the decoder agree on every sequence of edge bytes', () => {
  const all = EDGES.filter((byte) => byte >= 0x80);
  const seconds = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
  const thirds = [0x7f, 0x80, 0xbf, 0xc0];
  const sequences = all.flatMap((lead) => [
    [lead],
    ...seconds.flatMap((second) => [
      [lead, second],
      ...thirds.flatMap((third) => [
        [lead, second, third],
        ...thirds.map((fourth) => [lead, second, third, fourth]),
      ]),
    ]),
  ]);
  for (const sequence of sequences) {
    const bytes = Uint8Array.from(sequence);
    assert.equal(findInvalidUtf8(bytes, 'reject') < 0, isText(bytes), `${sequence}`);
    const followed = Uint8Array.of(65, ...sequence, 65);
    assert.equal(findInvalidUtf8(followed, 'reject') < 0, isText(followed), `A ${sequence} A`);
  }
  assert.ok(sequences.length > 2_000);
});

test('findInvalidUtf8 returns the start of the first invalid sequence', () => {
  const rows: readonly (readonly [readonly number[], number])[] = [
    [[], -1],
    [[0x41, 0x7f, 0x00], -1],
    [[0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80], -1],
    [[0x41, 0x80], 1],
    [[0xc3, 0xa9, 0xff, 0x41], 2],
    [[0xe2, 0x82, 0xac, 0xe2, 0x28, 0xa1], 3],
    [[0x41, 0xf0, 0x9f, 0x98, 0x41, 0xff], 1],
    [[0xe2, 0x82, 0xff], 0],
  ];
  for (const [bytes, at] of rows) {
    for (const cut of ['reject', 'allow'] as const) {
      assert.equal(findInvalidUtf8(Uint8Array.from(bytes), cut), at, `${bytes}`);
    }
  }
});

test('with `allow`, findInvalidUtf8 accepts a cut sequence at the end if more bytes could complete it', () => {
  const rows: readonly (readonly [readonly number[], number])[] = [
    [[0xc3], -1],
    [[0xe0, 0xa0], -1],
    [[0xf0, 0x90, 0x80], -1],
    [[0xf4], -1],
    [[0xc1], 2],
    [[0xe0, 0x9f], 2],
    [[0xed, 0xa0], 2],
    [[0xf4, 0x90], 2],
    [[0xf0, 0x90, 0x41], 2],
  ];
  for (const [end, at] of rows) {
    const bytes = Uint8Array.of(0xc3, 0xa9, ...end);
    assert.equal(findInvalidUtf8(bytes, 'allow'), at, `${end}`);
    assert.equal(findInvalidUtf8(bytes, 'reject'), 2, `${end}`);
  }
});

test('utf8Length equals the encoder’s length for every kind of character, lone surrogates included', () => {
  const parts = [
    '\u007f',
    '\u0080',
    '\u07ff',
    '\u0800',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '😀',
    '\u{10ffff}',
  ];
  const halves = ['\ud800', '\udbff', '\udc00', '\udfff'];
  for (const first of ['', ...parts, ...halves]) {
    for (const second of ['', 'a', ...parts, ...halves]) {
      const text = `${first}${second}`;
      assert.equal(utf8Length(text), new TextEncoder().encode(text).length, JSON.stringify(text));
    }
  }
});
