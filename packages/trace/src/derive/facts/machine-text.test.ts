import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineText } from './machine-text.ts';

test('machineText: everything that is known of a machine, in one line', () => {
  const machine = { cpu: 'AMD Ryzen 7', cores: 16, max_mhz: 4400, memory_bytes: 32 * 1024 ** 3 };
  assert.equal(machineText(machine), 'AMD Ryzen 7, 16 cores, up to 4400 MHz, 32.0 GiB of memory');
  assert.equal(machineText({ cores: 1 }), '1 core');
});
