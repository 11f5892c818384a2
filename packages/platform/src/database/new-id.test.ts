import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId, newId, startOfIds } from './new-id.ts';

test('newId returns UUIDs of version 7 that start with the time and always increase, even if the clock stops or goes back', (t) => {
  const start = Date.now() + 3_600_000;
  t.mock.timers.enable({ apis: ['Date'], now: start });
  // More than the counter holds within one millisecond.
  const ids = Array.from({ length: 5000 }, newId);
  const [first = ''] = ids;
  assert.equal(Number.parseInt(first.replace('-', '').slice(0, 12), 16), start);
  t.mock.timers.setTime(start - 1000);
  ids.push(...Array.from({ length: 10 }, newId));
  t.mock.timers.setTime(start + 1000);
  const later = newId();
  assert.equal(Number.parseInt(later.replace('-', '').slice(0, 12), 16), start + 1000);
  ids.push(later);
  for (const [index, id] of ids.entries()) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(index === 0 || (ids[index - 1] ?? '') < id, `id ${index} is not the greatest so far`);
  }
  const tails = new Set(ids.map((id) => id.slice(19)));
  assert.equal(tails.size, ids.length, 'the rest is random');
});

test('startOfIds sorts before all ids of its time, and after those of the millisecond before', (t) => {
  const start = Date.now() + 7_200_000;
  t.mock.timers.enable({ apis: ['Date'], now: start });
  const before = newId();
  t.mock.timers.setTime(start + 1);
  const at = newId();
  assert.ok(before < startOfIds(start + 1));
  assert.ok(startOfIds(start + 1) < at);
  assert.ok(startOfIds(start) < before);
  assert.equal(startOfIds(-1), startOfIds(0), 'no id is older than 1970');
});

test('isId accepts only ids from newId', () => {
  const id = newId();
  assert.equal(isId(id), true);
  const others = [
    '',
    ` ${id}`,
    `${id}\n`,
    `${id}0`,
    id.slice(1),
    id.toUpperCase(),
    id.replaceAll('-', ''),
    `${id.slice(0, 14)}4${id.slice(15)}`,
    `${id.slice(0, 19)}7${id.slice(20)}`,
    `${id.slice(0, -1)}g`,
  ];
  for (const other of others) assert.equal(isId(other), false, JSON.stringify(other));
});
