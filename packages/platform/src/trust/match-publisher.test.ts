import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesGlob, matchesPublisher } from './match-publisher.ts';
import { readIdentity } from './read-identity.ts';

const cases: [pattern: string, text: string, matches: boolean][] = [
  ['main', 'main', true],
  ['main', 'Main', false],
  ['main', 'main2', false],
  ['main', '', false],
  ['release/*', 'release/1.2', true],
  ['release/*', 'release/', true],
  ['release/*', 'release/1/2', false],
  ['release/*', 'a/release/1', false],
  ['repo:acme/*', 'repo:acme/moonhop', true],
  ['repo:acme/*', 'repo:acme/moonhop:ref:refs/heads/main', false],
  ['repo:acme*', 'repo:acme-evil/moonhop', false],
  ['repo:acme/moonhop:**', 'repo:acme/moonhop:ref:refs/heads/main', true],
  ['repo:acme/moonhop:**', 'repo:acme/moonhop-2:ref:refs/heads/main', false],
  ['**', '', true],
  ['**', 'a/b:c', true],
  ['*', '', true],
  ['a.c', 'abc', false],
  ['[a-z]+', 'a', false],
  ['*\u{1f680}*', 'a\u{1f680}b', true],
];

for (const [pattern, text, matches] of cases) {
  test(`the pattern "${pattern}" ${matches ? 'matches' : 'does not match'} "${text}"`, () => {
    assert.equal(matchesGlob(pattern, text), matches);
  });
}

test('a pattern matches as the regular expression of the same meaning', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/', ':'), maxLength: 8 });
  const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '**'), maxLength: 6 });
  fc.assert(
    fc.property(patterns, letters, (pattern, text) => {
      const source = pattern.replaceAll(/\*\*|\*/g, (star) => (star === '*' ? '[^/:]*' : '.*'));
      assert.equal(matchesGlob(pattern, text), new RegExp(`^${source}$`).test(text));
    }),
  );
});

test('a pattern of many stars takes no more time than its length', () => {
  // A backtracking matcher would need more steps than there are atoms.
  assert.equal(matchesGlob('*a'.repeat(127), `${'a'.repeat(250)}b`), false);
});

test('a field that the identity does not have matches no pattern, not even an open one', () => {
  const identity = readIdentity('github', {
    ...{ iss: 'https://ci.example', sub: 's', repository: 'a/b', repository_id: '1' },
    ref: 'refs/tags/v1',
  });
  const open = { subject: null, branch: null, environment: null, workflow: null };
  const wanted = { repository: 'a/b', repository_id: null, ...open };
  assert.equal(matchesPublisher(wanted, identity), true);
  assert.equal(matchesPublisher({ ...wanted, branch: '**' }, identity), false);
  assert.equal(matchesPublisher({ ...wanted, environment: '**' }, identity), false);
  assert.equal(matchesPublisher({ ...wanted, workflow: 'x.yml' }, identity), false);
});
