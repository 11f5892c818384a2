import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countRequests, REQUEST_ID_CHARACTERS } from './request-ids.ts';

test('countRequests numbers the requests of a process, and no other process has its ids', () => {
  const [one, two] = [countRequests(), countRequests()];
  const ids = [one(), one(), two()];
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{12}-[0-9a-z]{8}$/);
    assert.equal(id.length, REQUEST_ID_CHARACTERS);
  }
  const [start, count] = ids[0]?.split('-') ?? [];
  assert.equal(count, '00000001');
  assert.equal(ids[1], `${start}-00000002`);
  assert.notEqual(ids[2]?.split('-')[0], start);
  for (let times = 2; times < 36; times++) one();
  assert.equal(one(), `${start}-00000011`);
});
