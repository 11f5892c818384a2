import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busyChildOf } from './busy-child.ts';

/** Processes by name: the parent's place in the list, and the CPU time in percent. */
type Row = readonly [name: string, parent: number, cpu: number];

function processes(...rows: readonly Row[]) {
  return rows.map(([name, parent, cpuPercent], at) => ({ pid: at + 1, parent, name, cpuPercent }));
}

const nameOf = (...rows: readonly Row[]) => busyChildOf(1, processes(...rows))?.name ?? null;

test('busyChildOf: the busiest descendant of an idle process', () => {
  assert.equal(nameOf(['launcher', 0, 0], ['game', 1, 97]), 'game');
  assert.equal(nameOf(['steam', 0, 5], ['sh', 1, 0], ['game', 2, 20], ['web', 1, 19]), 'game');
});

test('busyChildOf: null if the process works itself, no child is busy, or the busy one is no child', () => {
  assert.equal(nameOf(['game', 0, 5.1], ['compiler', 1, 100]), null);
  assert.equal(nameOf(['launcher', 0, 0], ['game', 1, 19.9]), null);
  assert.equal(nameOf(['launcher', 0, 0], ['other', 0, 100]), null);
  assert.equal(nameOf(['launcher', 0, 0]), null);
  assert.equal(busyChildOf(99, processes(['launcher', 0, 0])), null);
});
