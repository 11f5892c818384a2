import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildsText } from './builds-text.ts';

const digest = (digits: string): string => `sha256:${digits.repeat(32)}`;

test('the builds of two traces are the same, different or unknown', () => {
  assert.equal(buildsText(digest('ab'), digest('ab')), 'the same, abababababab');
  assert.equal(
    buildsText(digest('ab'), digest('01')),
    'different: abababababab before, 010101010101 after',
  );
  assert.equal(buildsText(null, digest('ab')), 'unknown');
  assert.equal(buildsText(digest('ab'), null), 'unknown');
  assert.equal(buildsText(null, null), 'unknown');
});
