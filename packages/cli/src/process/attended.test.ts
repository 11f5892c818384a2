// How svc decides whether a person is present.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { canAnswer, canSee, runsInCi } from './attended.ts';

const terminal = Object.assign(new PassThrough(), { isTTY: true });
const pipe = new PassThrough();

test('runsInCi returns true unless CI is unset, empty, 0 or false', () => {
  for (const CI of ['true', '1', 'yes', 'woodpecker', 'FALSE!']) assert.ok(runsInCi({ CI }), CI);
  for (const CI of ['', ' ', '0', 'false', 'False', ' FALSE ']) assert.ok(!runsInCi({ CI }), CI);
  assert.ok(!runsInCi({}));
});

test('canAnswer checks standard input and canSee standard error for a terminal, and both return false in CI', () => {
  assert.ok(canAnswer({ stdin: terminal, env: {} }));
  assert.ok(!canAnswer({ stdin: pipe, env: {} }));
  assert.ok(!canAnswer({ stdin: terminal, env: { CI: '1' } }));
  assert.ok(canSee({ stderr: terminal, env: { CI: 'false' } }));
  assert.ok(!canSee({ stderr: pipe, env: {} }));
  assert.ok(!canSee({ stderr: terminal, env: { CI: '1' } }));
});
