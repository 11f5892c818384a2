import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNewer, VERSION_PATTERN } from './compare-versions.ts';

/** The example of the specification, and numbers of several digits. */
const ORDER = [
  ...['0.9.10', '0.10.0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta'],
  ...['1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.2', '1.0.10', '2.0.0', '10.0.0'],
];

test('isNewer: each version is newer than all before it, and no others', () => {
  for (const [index, version] of ORDER.entries()) {
    for (const [at, other] of ORDER.entries()) {
      assert.equal(isNewer(version, other), index > at, `${version} and ${other}`);
    }
  }
});

test('isNewer: what follows a plus sign has no order', () => {
  assert.ok(!isNewer('1.0.0+b', '1.0.0+a'));
  assert.ok(!isNewer('1.0.0+a', '1.0.0+b'));
  assert.ok(isNewer('1.0.1+a-1', '1.0.0'));
});

test('VERSION_PATTERN: versions, and other texts', () => {
  for (const version of [...ORDER, '1.0.0+a.b', '1.2.3-x-y.1+z']) {
    assert.match(version, VERSION_PATTERN);
  }
  for (const text of ['', '1', '1.0', 'v1.0.0', '1.0.0.0', '1.0.0-', '1.0.0 ', '1.0.0\u001b[31m']) {
    assert.doesNotMatch(text, VERSION_PATTERN, text);
  }
});
