// When a person is taken to be there.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { canAnswer, canSee, runsInCi } from './attended.ts';

const terminal = Object.assign(new PassThrough(), { isTTY: true });
const pipe = new PassThrough();

test('runsInCi takes CI for set unless it is empty, 0 or false', () => {
  for (const CI of ['true', '1', 'yes', 'woodpecker', 'FALSE!']) assert.ok(runsInCi({ CI }), CI);
  for (const CI of ['', ' ', '0', 'false', 'False', ' FALSE ']) assert.ok(!runsInCi({ CI }), CI);
  assert.ok(!runsInCi({}));
});

test('canAnswer asks for standard input, canSee for standard error: a terminal, and not in CI', () => {
  assert.ok(canAnswer({ stdin: terminal, env: {} }));
  assert.ok(!canAnswer({ stdin: pipe, env: {} }));
  assert.ok(!canAnswer({ stdin: terminal, env: { CI: '1' } }));
  assert.ok(canSee({ stderr: terminal, env: { CI: 'false' } }));
  assert.ok(!canSee({ stderr: pipe, env: {} }));
  assert.ok(!canSee({ stderr: terminal, env: { CI: '1' } }));
});
