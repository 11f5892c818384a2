// Edge cases of folded stacks: counts, two counts, skipped lines, and guesses of other formats.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TraceError } from '../format/errors.ts';
import { sniffFormat, type TraceFormat } from '../model/sniff-format.ts';
import { formatDecimal } from '../stacks/exact-column.ts';
import { treeTotal } from '../stacks/frame-sums.ts';
import { FoldedConverter } from './convert-folded.ts';
import { readFolded } from './folded-tree.ts';

/** The weight of a line that ends in the count, or the reason why it is skipped. */
function readCount(count: string): string {
  const { tree, ending } = readFolded(`ok 0\na;b ${count}\n`);
  return ending.skipped[0]?.reason ?? formatDecimal(treeTotal(tree), tree.decimals);
}

test('a count has at most a hundred digits, with an optional sign, point and exponent', () => {
  const rows: readonly (readonly [count: string, read: string])[] = [
    ['5', '5'],
    ['-5', '-5'],
    ['-0', '0'],
    ['007', '7'],
    ['0.25', '0.25'],
    ['5.', '5'],
    ['.5', '0.5'],
    ['-.5', '-0.5'],
    ['1e+15', '1000000000000000'],
    ['1E3', '1000'],
    ['25e-1', '2.5'],
    ['123456789012345', '123456789012345'],
    ['1234567890123456', '1234567890123456'],
    ['9'.repeat(100), '9'.repeat(100)],
    ['9'.repeat(101), 'a count of too many digits'],
    ['9'.repeat(1000), 'a count of too many digits'],
    [`0.${'0'.repeat(99)}1`, `0.${'0'.repeat(99)}1`],
    [`0.${'0'.repeat(100)}1`, 'a count of too many digits'],
    ['1e99', `1${'0'.repeat(99)}`],
    ['1e100', 'a count of too many digits'],
    ['1e-100', `0.${'0'.repeat(99)}1`],
    ['1e-101', 'a count of too many digits'],
    ['+5', 'no count at the end'],
    ['.', 'no count at the end'],
    ['e5', 'no count at the end'],
    ['5e', 'no count at the end'],
    ['1.2.3', 'no count at the end'],
    ['5x', 'no count at the end'],
    ['0x5', 'no count at the end'],
  ];
  for (const [count, read] of rows) assert.equal(readCount(count), read, count);
});

test('a file has two counts if nine of ten stacks end in two numbers; a line with one number has 0 before', () => {
  const counts = (two: number, one: number) =>
    readFolded(`${'a 1 2\n'.repeat(two)}${'b;c 3\n'.repeat(one)}`).tree;
  const both = counts(9, 1);
  assert.deepEqual([both.self.at(0), both.before?.at(0)], [18, 9]);
  assert.deepEqual([both.self.at(2), both.before?.at(2)], [3, 0]);
  assert.equal(counts(8, 1).before, null);
  assert.equal(counts(17, 2).before, null);
  assert.notEqual(counts(18, 2).before, null);
});

test('up to a thousand skipped lines are listed, and all are counted', () => {
  const { ending } = readFolded(`a 1\n${'no count\n'.repeat(1001)}`);
  assert.equal(ending.skipped.length, 1000);
  assert.deepEqual(ending.skipped.at(-1), { line: 1001, reason: 'no count at the end' });
  assert.equal(ending.skipped_count, 1001);
  assert.deepEqual([ending.samples, ending.counts], [1, 1]);
});

test('a line with a frame of more than 65,536 bytes is skipped, and does not affect the next line', () => {
  const name = 'f'.repeat(65_536);
  const { tree, ending } = readFolded(`${name};a 1\n${name}f;a 2\n${name};b 4\n`);
  assert.deepEqual(ending.skipped, [{ line: 2, reason: 'a frame longer than 65536 bytes' }]);
  assert.deepEqual([tree.length, treeTotal(tree)], [3, 5]);
  assert.equal(tree.frames.name(0), name);
});

test('a file that is not folded stacks is rejected with a guess of its format', () => {
  const bytes = (...values: number[]): Uint8Array => Uint8Array.from([...values, 1, 2, 3, 10]);
  const rows: readonly (readonly [input: string | Uint8Array, reported: string])[] = [
    [bytes(0x1f, 0x8b), 'a gzip file (perhaps pprof or a compressed profile): unpack it first'],
    [bytes(0x28, 0xb5, 0x2f, 0xfd), 'a Zstandard file: unpack it first'],
    [bytes(0xfd, 0x37, 0x7a, 0x58, 0x5a), 'an xz file: unpack it first'],
    ['BZh91AY&SY', 'a bzip2 file: unpack it first'],
    ['PK\u0003\u0004', 'a ZIP archive: unpack it first'],
    ['PERFILE2', 'raw perf.data: run "perf script" and a stack collapser first'],
    ['FLR\u0000', 'a Java flight recording (JFR): convert it to collapsed stacks first'],
    [bytes(0x7f, 0x45, 0x4c, 0x46), 'an ELF program'],
    ['SQLite format 3', 'an SQLite database'],
    [bytes(0x89, 0x50, 0x4e, 0x47), 'a PNG image'],
    ['%PDF-1.7', 'a PDF document'],
    ['{"vpt":1}\n', 'a .vpt trace'],
    ['{"$schema":"https://www.speedscope.app/file-format-schema.json"}', 'JSON of speedscope'],
    ['{"traceEvents":[]}', 'JSON of Chrome trace events'],
    ['{"nodes":[{"callFrame":{}}]}', 'JSON of a V8 CPU profile'],
    ['{"meta":{"preprocessedProfileVersion":3}}', 'JSON of the Firefox Profiler'],
    ['[{"a":1}]', 'JSON'],
    [
      '<?xml version="1.0"?><svg/>',
      'an SVG image (a flame graph?): open the folded stacks that it was drawn from',
    ],
    ['<!doctype html><p>', 'an HTML page'],
    ['<?xml version="1.0"?><a/>', 'XML'],
    ['events: Ir\nfn=main\n', 'callgrind output: open it in KCachegrind, or convert it first'],
    ['@[\nmain\n', 'bpftrace output: collapse it first (stackcollapse-bpftrace)'],
    ['  libc.so.1`main+0x1\n', 'DTrace output: collapse it first (stackcollapse)'],
    ['Flat profile:\n', 'a gprof report'],
    ['a;b\nc;d\n', 'folded stacks without counts'],
    ['a,b,c\nd,e,f\n', 'a CSV table'],
    ['some words\n', 'other text'],
    [' \n\n', 'an empty file'],
    ['a\u0000b\u0000c\u0000d\u0000', 'UTF-16 without a byte-order mark: save it as UTF-8'],
    ['abcdefgh\u0000', 'a binary file'],
  ];
  for (const [input, reported] of rows) {
    assert.throws(
      () => readFolded(input),
      (error) =>
        error instanceof TraceError &&
        error.code === 'not_folded' &&
        error.message.endsWith(`The file looks like ${reported}`),
      reported,
    );
  }
});

test('a line that looks like another report is skipped if most lines are stacks', () => {
  const { ending } = readFolded('events: Ir\na;b 1\nc 2\n');
  assert.deepEqual(ending.skipped, [{ line: 1, reason: 'no count at the end' }]);
  assert.throws(() => readFolded('events: Ir\nfn=main\nc 2\n'), /callgrind/);
});

test('stacks whose frames look like JSON or markup in part are stacks, and lists of JSON are not', () => {
  const stacks = [
    'main;<html>::parse 3',
    'parse <svg> 2',
    '[main];["a";b 1',
    '[1 2',
    '[] 1',
    '{} 1',
  ];
  for (const text of stacks) assert.deepEqual(readFolded(`${text}\n`).ending.skipped, [], text);
  for (const text of ['["a","b"] 1', '["a"] 1', '[1, 2] 1', '[[1] 1']) {
    assert.throws(() => readFolded(`${text}\n`), /looks like JSON$/, text);
  }
});

test('a file that begins like another report is accepted, because comments and empty lines do not count', () => {
  const quiet = '# a comment\n// another\n\n \r\n'.repeat(20);
  const { ending } = readFolded(`events: Ir\n${quiet}a;b 1\n`);
  assert.deepEqual(ending.skipped, [{ line: 1, reason: 'no count at the end' }]);
});

test('a conversion that skips nothing records no loss', () => {
  const lines: string[] = [];
  const converter = new FoldedConverter((line) => lines.push(line));
  converter.push(new TextEncoder().encode('main;a 3\n'));
  converter.finish();
  const types = lines
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => Object(JSON.parse(line)).type);
  assert.deepEqual(types, [undefined, 'stacks', 'end']);
});

test('a conversion of folded stacks produces exactly this text', () => {
  const lines: string[] = [];
  const converter = new FoldedConverter((line) => lines.push(line));
  converter.push(new TextEncoder().encode('main;a_[k] 3\nmain 0.25\nnonsense\nmain;a 1e16\n'));
  converter.finish();
  const records = lines
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  assert.deepEqual(records, [
    {
      vpt: 1,
      producer: { name: 'svc folded import', version: '1' },
      started_at: null,
      sources: ['import'],
    },
    {
      type: 'stacks',
      t: 0,
      first_name: 0,
      names: ['main', 'a', 'a'],
      first_node: 0,
      parents: [-1, 0, 0],
      node_names: [0, 1, 2],
      categories: ['', 'kernel', ''],
      samples: { node: [1, 0, 2], weight: [300, 25, '1000000000000000000'] },
      unit: 'count',
      scale: 100,
    },
    { type: 'loss', t: 0, reason: 'unreadable_lines', count: 1 },
    { type: 'end', t: 0, reason: 'converted' },
  ]);
});

test('sniffFormat recognizes a trace by the key "vpt", or by an object that is cut off before it', () => {
  const rows: readonly (readonly [text: string, format: TraceFormat])[] = [
    ['{"vpt":1,"producer":{}}\n', 'vpt'],
    ['{"producer":{},"vpt":1}\n', 'vpt'],
    ['{ "vpt": 1}', 'vpt'],
    ['\ufeff{"vpt":1}\n', 'vpt'],
    ['\n {"vpt":1}\n', 'vpt'],
    [' {"vpt":1}\n', 'vpt'],
    ['\n\na;b 1\n', 'folded'],
    ['', 'vpt'],
    ['{', 'vpt'],
    ['{"vp', 'vpt'],
    ['{"a":1}\n{"vpt":1}\n', 'folded'],
    ['{"nodes":[]}', 'cpuprofile'],
    ['\ufeff {\n "nodes" : [{"id":1}]}', 'cpuprofile'],
    ['{"startTime":1,"nodes":[{"id":1,"callFrame":{}}]}', 'cpuprofile'],
    ['{"samples":[1', 'cpuprofile'],
    ['{"head":{"callFrame":{},"selfSize":5}}', 'folded'],
    ['{"traceEvents":[', 'chrome'],
    ['{"metadata":{"source":"DevTools"},', 'chrome'],
    ['{"otherData":{},"traceEvents": [{}', 'chrome'],
    ['[\n{"args":{},"ph":"M"},', 'chrome'],
    ['[]', 'folded'],
    ['[{"a":1}]', 'folded'],
    ['{"$schema":"https://www.speedscope.app/file-format-schema.json","nodes":[]}', 'folded'],
    ['{"meta":{"preprocessedProfileVersion":5},"traceEvents":[]}', 'folded'],
    ['{"a":{"b":1}}', 'folded'],
    ['main;"vpt" 5\n', 'folded'],
    ['{vpt;"vpt" 5\n', 'folded'],
    ['a;b 1\n', 'folded'],
  ];
  for (const [text, format] of rows) {
    assert.equal(sniffFormat(new TextEncoder().encode(text)), format, text);
  }
  for (const little of [true, false]) {
    const text = '\ufeff{"vpt":1}\n';
    const view = new DataView(new ArrayBuffer(text.length * 2));
    for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), little);
    assert.equal(sniffFormat(new Uint8Array(view.buffer)), 'vpt');
  }
});
