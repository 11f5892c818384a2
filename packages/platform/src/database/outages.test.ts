import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import { createOutages } from './outages.ts';

test('an outage is logged once when it begins and once when it ends; quick repetitions are not logged', () => {
  const lines: string[] = [];
  let now = 0;
  const outages = createOutages(
    logTo((line) => lines.push(line)),
    () => now,
  );
  outages.ended();
  assert.deepEqual(lines, []);
  for (let number = 0; number < 5; number++) outages.began(new Error('refused'));
  assert.deepEqual(lines.splice(0), [
    'warning: the database cannot be reached: refused. Requests that need it are answered with 503',
  ]);
  outages.ended();
  outages.ended();
  assert.deepEqual(lines.splice(0), ['the database can be reached again']);
  now = 9_999;
  outages.began(new Error('again'));
  outages.ended();
  assert.deepEqual(lines, []);
  now = 10_000;
  outages.began(new Error('later'));
  assert.equal(lines.length, 1);
});
