import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BpftraceStackParser, type PrintedStacks } from './parse-bpftrace.ts';
import { type RawStack, STACK_FRAMES } from './raw-stack.ts';

function parseAll(text: string): PrintedStacks {
  const parser = new BpftraceStackParser();
  for (const line of text.split('\n')) parser.line(line);
  return parser.take();
}

function parse(text: string): readonly RawStack[] {
  return parseAll(text).stacks;
}

const EXPECTED: RawStack = {
  tid: 4321,
  user: [
    { address: 0x7f3cd682d2ad, symbol: '__libc_read', module: '/lib/libc.so.6' },
    { address: 0x55de4b0f8ae4, symbol: null, module: null },
  ],
  kernel: ['read_zero', 'vfs_read'],
  atNs: [16612572318536],
};

test('BpftraceStackParser: user and kernel frames as 0.17 prints them', () => {
  const text = `@a[4321, 
\t7f3cd682d2ad __libc_read+13 (/lib/libc.so.6)
\t55de4b0f8ae4 0x55de4b0f8ae4 ([unknown])
, 
    read_zero+29
    vfs_read+187
]: 16612572318536`;
  assert.deepEqual(parse(text), [EXPECTED]);
});

test('BpftraceStackParser: the same frames with the line breaks of later versions', () => {
  const text = `@b[4321,
\t7f3cd682d2ad __libc_read+13 (/lib/libc.so.6)
\t55de4b0f8ae4 0x55de4b0f8ae4 ([unknown])
,
    read_zero+29
    vfs_read+187

]: 16612572318536`;
  assert.deepEqual(parse(text), [EXPECTED]);
});

test('BpftraceStackParser: names with spaces, brackets and plus signs', () => {
  const [stack] = parse(`@a[1, 
\te22df1 v8::(anonymous namespace)::Invoke(Isolate*, int const&)+353 (/opt/a (copy)/node)
\te22df2 operator+(A, B) (/lib/x.so)
\te22df3 JS:*tick /game/main.js:4:18+72 (/tmp/perf-1.map)
, ]: 1`);
  assert.deepEqual(
    stack?.user.map(({ symbol, module }) => [symbol, module]),
    [
      ['v8::(anonymous namespace)::Invoke(Isolate*, int const&)', '/opt/a (copy)/node'],
      ['operator+(A, B)', '/lib/x.so'],
      ['JS:*tick /game/main.js:4:18', '/tmp/perf-1.map'],
    ],
  );
});

test('BpftraceStackParser skips other output, unfinished and empty stacks', () => {
  assert.deepEqual(parse('@turn: 1\n\nAttaching 4 probes...\n]: 5\n\t1 a (b)'), []);
  assert.deepEqual(parse('@a[1, \n\t1 a (b)\n@a[2, \n, ]: 3'), [
    { tid: 2, user: [], kernel: [], atNs: [3] },
  ]);
});

test('BpftraceStackParser: a stack has the times of all its samples, whichever map is printed first', () => {
  const stack = '@a[7,\n\t1 a (b)\n, ]: 100';
  const times = '@a_at[7, 300]: 100\n@a_at[7,200]: 100';
  for (const text of [`${stack}\n${times}`, `${times}\n${stack}`]) {
    const { stacks, lost } = parseAll(text);
    assert.deepEqual([stacks[0]?.atNs, stacks.length, lost], [[100, 300, 200], 1, 0]);
  }
});

test('BpftraceStackParser: stacks of two threads with one time are two, and the second map is as the first', () => {
  const text =
    '@b[7, \n\t1 a (b)\n, ]: 100\n@b[8, \n\t2 c (b)\n, ]: 100\n@b_at[8, 200]: 100\n@turn: 1';
  const found = parse(text).map(({ tid, atNs }) => [tid, atNs]);
  assert.deepEqual(found, [
    [7, [100]],
    [8, [100, 200]],
  ]);
});

test('BpftraceStackParser: samples whose stack was not printed are lost, and none is reported twice', () => {
  const parser = new BpftraceStackParser();
  for (const line of ['@a_at[7, 200]: 100', '@a_at[7, 300]: 100', '@a_at[8, 300]: 100']) {
    parser.line(line);
  }
  assert.deepEqual(parser.take(), { stacks: [], lost: 3 });
  assert.deepEqual(parser.take(), { stacks: [], lost: 0 });
});

test('BpftraceStackParser never throws and never exceeds its bounds, whatever is printed', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '@a[',
      '12, ',
      '\n',
      '\t',
      '    ',
      'f00 ',
      '(',
      ')',
      ' (',
      '+1',
      ', ]: 9',
      '@a_at[12, 30]: 9\n',
      ',',
      '0x',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      for (const { tid, user, kernel, atNs } of parse(pieces.join(''))) {
        assert.ok(Number.isSafeInteger(tid) && atNs.length > 0);
        for (const ns of atNs) assert.ok(Number.isFinite(ns) && Number(ns) >= 0);
        assert.ok(user.length <= STACK_FRAMES.user && kernel.length <= STACK_FRAMES.kernel);
        for (const { address } of user) assert.ok(address >= 0 && Number.isFinite(address));
      }
    }),
  );
  const deep = parse(`@a[1, \n${'\t1 f (m)\n'.repeat(5_000)},\n${'    k\n'.repeat(5_000)}]: 1`);
  assert.deepEqual([deep[0]?.user.length, deep[0]?.kernel.length], [96, 48]);
});
