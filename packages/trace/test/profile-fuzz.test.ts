// Damaged profiles: any change of the bytes gives a valid trace or one TraceError, and never another error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sniffFormat } from '../src/index.ts';
import { convertDamaged } from './convert-damaged.ts';

const call = (functionName: string, lineNumber: number) => ({
  functionName,
  url: 'https://h/g.js?k=1',
  lineNumber,
  columnNumber: 4,
});
const NODES = [
  { id: 1, callFrame: { functionName: '(root)' }, children: [2, 3] },
  { id: 2, callFrame: call('frame', 9), children: [4] },
  { id: 3, callFrame: { functionName: '(idle)' } },
  { id: 4, callFrame: call('stall', 20), parent: 2 },
];
const samples = { samples: [2, 4, 3, 2], timeDeltas: [100, 300, -50, 700] };
const CPU_PROFILE = JSON.stringify({ nodes: NODES, startTime: 5, endTime: 4000, ...samples });
const at = { pid: 1, tid: 1, args: {} };
const CHROME_TRACE = JSON.stringify({
  traceEvents: [
    { ...at, name: 'thread_name', ph: 'M', args: { name: 'CrRendererMain' } },
    { ...at, name: 'Profile', ph: 'P', id: 1, ts: 5, args: { data: { startTime: 5 } } },
    {
      ...at,
      name: 'ProfileChunk',
      ph: 'P',
      id: 1,
      ts: 6,
      args: {
        data: {
          cpuProfile: { nodes: NODES, samples: samples.samples },
          timeDeltas: samples.timeDeltas,
        },
      },
    },
    ...[10, 26, 200].map((ms) => ({
      ...at,
      name: 'FireAnimationFrame',
      ph: 'X',
      ts: ms * 1000,
      dur: 9,
    })),
    { ...at, name: 'RunTask', ph: 'X', ts: 30_000, dur: 90_000 },
    {
      ...at,
      name: 'FunctionCall',
      ph: 'X',
      ts: 31_000,
      dur: 80_000,
      args: { data: call('frame', 9) },
    },
    {
      ...at,
      name: 'ResourceSendRequest',
      ph: 'I',
      ts: 40_000,
      args: { data: { requestId: 'a', url: 'https://h/a.png' } },
    },
    {
      ...at,
      name: 'ResourceFinish',
      ph: 'I',
      ts: 50_000,
      args: { data: { requestId: 'a', encodedDataLength: 5 } },
    },
    { ...at, name: 'm', ph: 'b', cat: 'blink.user_timing', id: 3, ts: 40_000 },
    { ...at, name: 'm', ph: 'e', cat: 'blink.user_timing', id: 3, ts: 60_000 },
  ],
});

const PARTS = [
  '0',
  '-1',
  '1e308',
  '9007199254740993',
  '"',
  '\\',
  '{',
  ']',
  ',',
  'null',
  '[[',
  '\u0000',
  'ÿ',
  '',
];

for (const [format, text] of [
  ['cpuprofile', CPU_PROFILE],
  ['chrome', CHROME_TRACE],
] as const) {
  test(`a damaged file of the format ${format} gives a valid trace or is rejected`, () => {
    assert.equal(sniffFormat(new TextEncoder().encode(text)), format);
    const edit = fc.tuple(fc.nat(text.length), fc.nat(30), fc.constantFrom(...PARTS));
    fc.assert(
      fc.property(
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 700 }),
        (edits, size) => {
          const damaged = edits.reduce(
            (all, [from, length, part]) => all.slice(0, from) + part + all.slice(from + length),
            text,
          );
          convertDamaged(format, damaged, size);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test(`any values in the places of others, in the format ${format}, give a valid trace or are rejected`, () => {
    const values: { text: string; from: number }[] = [];
    for (const match of text.matchAll(/(?<=:|\[|,)(?:-?\d+|"[^"]*"(?!:))/g)) {
      values.push({ text: match[0], from: match.index });
    }
    const other = fc.oneof(
      fc.double(),
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom(1e300, -5, 2 ** 53),
    );
    fc.assert(
      fc.property(fc.nat(values.length - 1), other, (index, value) => {
        const place = values[index];
        if (place === undefined) return;
        const json = JSON.stringify(value) ?? 'null';
        convertDamaged(
          format,
          text.slice(0, place.from) + json + text.slice(place.from + place.text.length),
          999,
        );
      }),
      { numRuns: 2000 },
    );
  });
}
