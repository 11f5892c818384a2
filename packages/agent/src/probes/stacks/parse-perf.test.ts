import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PerfStackParser } from './parse-perf.ts';
import type { RawStack } from './raw-stack.ts';

function parse(text: string): RawStack[] {
  const stacks: RawStack[] = [];
  const parser = new PerfStackParser((stack) => stacks.push(stack));
  for (const line of text.split('\n')) parser.line(line);
  parser.finish();
  return stacks;
}

test('PerfStackParser: samples with kernel, user and unknown frames; the last without a time and its empty line', () => {
  const text = `my game 1/2 25197/25199 16667.110399252: 
\tffffffff8110 vfs_read ([kernel.kallsyms])
\tffffffffc001 nf_hook ([nf_tables])
\t        1165 leaf_a (/opt/my game/bin)
\t           0 [unknown] ([vdso])

spin 25197/25197 
\t        11d0 [unknown] (/opt/spin)
`;
  assert.deepEqual(parse(text), [
    {
      tid: 25199,
      user: [
        { address: 0x1165, symbol: 'leaf_a', module: '/opt/my game/bin' },
        { address: 0, symbol: null, module: '[vdso]' },
      ],
      kernel: ['vfs_read', 'nf_hook'],
      atNs: [16667110399252],
    },
    {
      tid: 25197,
      user: [{ address: 0x11d0, symbol: null, module: '/opt/spin' }],
      kernel: [],
      atNs: [null],
    },
  ]);
});

test('PerfStackParser never throws, whatever is printed', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'a 1/2 \n',
      'a 1/2 3.000000004:\n',
      '\t 12 ',
      '(',
      ')',
      '[',
      ']',
      '\n',
      '\n\n',
      'ffff ',
      ' ([k])',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      for (const { atNs } of parse(pieces.join(''))) {
        assert.equal(atNs.length, 1);
        assert.ok(atNs[0] === null || Number.isFinite(atNs[0]));
      }
    }),
  );
});
