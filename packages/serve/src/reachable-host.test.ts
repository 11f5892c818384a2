import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachableHost } from './reachable-host.ts';

test('reachableHost writes a host as in a URL, and returns null for every interface', () => {
  assert.equal(reachableHost('127.0.0.1'), '127.0.0.1');
  assert.equal(reachableHost('Games.example'), 'games.example');
  assert.equal(reachableHost('::1'), '[::1]');
  assert.equal(reachableHost('fe80::1%eth0'), '[fe80::1%eth0]');
  for (const every of ['', '0.0.0.0', '0', '::', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0']) {
    assert.equal(reachableHost(every), null, every);
  }
});
