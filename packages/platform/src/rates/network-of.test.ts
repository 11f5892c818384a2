import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, networkOf } from './network-of.ts';

test('limits count an IPv4 address and its /24, and the /64 and the /48 of an IPv6 address', () => {
  const rows: readonly (readonly [ip: string, address: string, network: string])[] = [
    ['192.0.2.7', '192.0.2.7', '192.0.2'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2'],
    ['192.0.2.7:51234', '192.0.2.7', '192.0.2'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2', '2001:db8:1'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2', '2001:db8:1'],
    ['2001:db8:1:2::9', '2001:db8:1:2', '2001:db8:1'],
    ['2001:db8::9', '2001:db8:0:0', '2001:db8:0'],
    ['2001:db8:0:0:ffff::', '2001:db8:0:0', '2001:db8:0'],
    ['::1', '0:0:0:0', '0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0'],
  ];
  for (const [ip, address, network] of rows) {
    assert.deepEqual([addressOf(ip), networkOf(ip)], [address, network], ip);
  }
});
