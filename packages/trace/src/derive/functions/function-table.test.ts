// The ranked functions of a call tree: order, exact weights, shares, windows and search.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { type FunctionOptions, functionTable, functionTables } from './function-table.ts';

function tableOf(folded: string, options?: FunctionOptions) {
  const [stacks] = modelOf(folded).stacks;
  assert.ok(stacks);
  return functionTable(stacks.tree, options);
}

const names = (table: { readonly functions: readonly { readonly name: string }[] }): string[] =>
  table.functions.map(({ name }) => name);

test('functionTable ranks by self weight, and counts a recursive function once in its total', () => {
  const table = tableOf('main;a;a;b 6\nmain;a 3\nmain;c_[k] 1\n');
  assert.deepEqual(table.functions, [
    { name: 'b', category: '', self: '6', self_share: 0.6, total: '6', total_share: 0.6 },
    { name: 'a', category: '', self: '3', self_share: 0.3, total: '9', total_share: 0.9 },
    { name: 'c', category: 'kernel', self: '1', self_share: 0.1, total: '1', total_share: 0.1 },
    { name: 'main', category: '', self: '0', self_share: 0, total: '10', total_share: 1 },
  ]);
  const { unit, samples, weight_total, matched_share, left_out } = table;
  assert.deepEqual(
    [unit, samples, weight_total, matched_share, left_out],
    ['count', 3, '10', null, 0],
  );
});

test('functionTable orders by total weight on request, ties by the other weight, then by name', () => {
  const folded = 'p;x 4\np;y 4\nq 4\nr;s 4\n';
  assert.deepEqual(names(tableOf(folded)), ['q', 's', 'x', 'y', 'p', 'r']);
  assert.deepEqual(names(tableOf(folded, { by: 'total' })), ['p', 'q', 's', 'x', 'y', 'r']);
  assert.deepEqual(names(tableOf('r;a 1\nr;b 9\na;b 1\n')), ['b', 'a', 'r']);
});

test('functionTable lists `limit` functions and counts the others', () => {
  const table = tableOf('a 3\nb 2\nc 1\n', { limit: 2 });
  assert.deepEqual([names(table), table.left_out], [['a', 'b'], 1]);
  assert.equal(tableOf('a 3\nb 2\nc 1\n', { limit: 3 }).left_out, 0);
});

test('functionTable leaves out functions without any weight', () => {
  assert.deepEqual(names(tableOf('a;b 0\nc 1\nd;e -2\nd 2\n')), ['d', 'c', 'e']);
});

test('functionTable selects functions by name, with shares of the whole tree', () => {
  const table = tableOf('main;a;b 6\nmain;a 1\nmain;c 1\n', { matches: (name) => name === 'a' });
  assert.deepEqual(table.functions, [
    { name: 'a', category: '', self: '1', self_share: 0.125, total: '7', total_share: 0.875 },
  ]);
  assert.equal(table.matched_share, 0.875);
  assert.equal(table.left_out, 0);
  assert.equal(tableOf('a 1\n', { matches: () => false }).matched_share, 0);
});

test('functionTable returns exact weights, also beyond 2^53 and with decimals', () => {
  const table = tableOf('a 9007199254740993\na;b 9007199254740992.25\nc 1e20\n');
  assert.deepEqual(
    table.functions.map(({ name, self, total }) => [name, self, total]),
    [
      ['c', '100000000000000000000', '100000000000000000000'],
      ['a', '9007199254740993', '18014398509481985.25'],
      ['b', '9007199254740992.25', '9007199254740992.25'],
    ],
  );
  assert.equal(table.weight_total, '100018014398509481985.25');
});

test('functionTable has no shares if the weight of all samples is not above 0', () => {
  const shares = (folded: string) =>
    tableOf(folded, { matches: () => true }).functions.map((row) => [
      row.self_share,
      row.total_share,
    ]);
  assert.deepEqual(shares('a 1\nb -1\n'), [
    [null, null],
    [null, null],
  ]);
  assert.equal(tableOf('a -1\n', { matches: () => true }).matched_share, null);
});

const TIMED = traceFromText(`native browser
  0 native:stacks main;old 5
  1000 native:stacks main;hot 3 | main;old 1
  1500 browser:stacks loop 20000@0 | draw 10000@20
`);

test('functionTables returns each source and unit, whole or in a window', () => {
  const { stacks } = modelOf(TIMED);
  const rows = (from_ms: number, to_ms: number) =>
    functionTables(stacks, { from_ms, to_ms }).map(({ source, unit, exact, functions }) => [
      `${source} ${unit} ${exact}`,
      ...functions.map(({ name, self }) => `${name} ${self}`),
    ]);
  assert.deepEqual(
    functionTables(stacks, null).map(({ source, exact, weight_total }) => [
      source,
      exact,
      weight_total,
    ]),
    [
      ['native', true, '9'],
      ['browser', true, '30'],
    ],
  );
  assert.deepEqual(rows(1500, 1525), [
    ['native samples false', 'hot 3', 'old 1', 'main 0'],
    ['browser ms true', 'loop 20', 'draw 5'],
  ]);
  assert.deepEqual(rows(0, 1000), [['native samples false', 'old 5', 'main 0']]);
  assert.deepEqual(rows(5000, 6000), []);
  assert.equal(functionTables(stacks, null, { limit: 1 })[0]?.left_out, 2);
  assert.equal(
    functionTables(stacks, { from_ms: 1500, to_ms: 1525 }, { limit: 1 })[1]?.left_out,
    1,
  );
});

test('functionTables leaves out stacks without times if there is a window', () => {
  const { stacks } = modelOf('a;b 3\n');
  assert.equal(functionTables(stacks, null).length, 1);
  assert.deepEqual(functionTables(stacks, { from_ms: 0, to_ms: 1000 }), []);
});
