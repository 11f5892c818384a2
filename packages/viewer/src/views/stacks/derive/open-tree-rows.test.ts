import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childrenOf, readFolded } from '@svc/trace';
import { MOST_CHILDREN, openTreeRows } from './open-tree-rows.ts';
import { shownTree } from './select-tree.ts';

function rowsOf(text: string, ...open: string[]) {
  const shown = shownTree(readFolded(text).tree);
  const { rows, leftOut } = openTreeRows(shown, childrenOf(shown.tree.parents), new Set(open));
  const lines = rows.map((row) => `${'.'.repeat(row.level - 1)}${row.name} ${row.total}`);
  return { rows, leftOut, lines };
}

const TEXT = 'a;b;c 3\na;d 5\ne 1\na;zero 0\n';

test('openTreeRows lists roots and the children of open rows, heaviest first, without rows of no weight', () => {
  assert.deepEqual(rowsOf(TEXT).lines, ['a 8', 'e 1']);
  assert.deepEqual(rowsOf(TEXT, 'a').lines, ['a 8', '.d 5', '.b 3', 'e 1']);
  assert.deepEqual(rowsOf(TEXT, 'a', 'a\u0000b').lines, ['a 8', '.d 5', '.b 3', '..c 3', 'e 1']);
  assert.deepEqual(rowsOf(TEXT, 'a\u0000b').lines, ['a 8', 'e 1']);
});

test('openTreeRows returns the place among siblings, and counts the light rows that it left out', () => {
  const many = Array.from({ length: MOST_CHILDREN + 7 }, (_, i) => `root;f${i} ${i + 1}`);
  const { rows, leftOut } = rowsOf(`${many.join('\n')}\n`, 'root');
  assert.equal(leftOut, 7);
  assert.equal(rows.length, 1 + MOST_CHILDREN);
  assert.deepEqual([rows[1]?.place, rows[1]?.siblings, rows[1]?.parent], [1, 507, 'root']);
});

test('a row has its self weight, share, category and number of children', () => {
  const { rows } = rowsOf('a;k_[k] 3\na 2\na;b 1\na;none 0\n', 'a', 'a\u0000k_[k]');
  assert.deepEqual(
    rows.map(({ name, category, self, share, children, open, place }) => {
      return { name, category, self, share, children, open, place };
    }),
    [
      { name: 'a', category: '', self: 2, share: 1, children: 2, open: true, place: 1 },
      { name: 'k', category: 'kernel', self: 3, share: 0.5, children: 0, open: false, place: 1 },
      { name: 'b', category: '', self: 1, share: 1 / 6, children: 0, open: false, place: 2 },
    ],
  );
});
