// The bounds of each option, from both sides.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentOptions } from './agent-options.ts';
import { checkOptions } from './check-options.ts';
import { StartError } from './start-error.ts';

const OPTIONS: AgentOptions = {
  viewer: () => new Map(),
  port: 0,
  pid: null,
  startTicks: null,
  program: null,
  launched: false,
  start: false,
  file: null,
  dataDir: '/nowhere',
  ttlMs: 1_000,
  storageCapBytes: 1e6,
  importLimitBytes: 1e6,
  pssIntervalMs: 1_000,
  probes: [],
  follow: null,
  providerUrl: null,
  env: {},
  version: '1',
};

const DAY_MS = 24 * 3_600_000;

test('checkOptions accepts values just inside a bound, and names the option of values outside', () => {
  const rows: [string, Partial<AgentOptions>[], Partial<AgentOptions>[]][] = [
    ['--ttl', [{ ttlMs: 1 }, { ttlMs: DAY_MS }], [{ ttlMs: 0 }, { ttlMs: DAY_MS + 1 }]],
    ['--storage-cap', [{ storageCapBytes: 8_192 }], [{ storageCapBytes: 8_191 }]],
    ['--import-limit', [{ importLimitBytes: 1 }], [{ importLimitBytes: 0 }]],
    ['--pss-interval', [{ pssIntervalMs: 1_000 }], [{ pssIntervalMs: 999 }]],
    ['--port', [{ port: 0 }, { port: 65_535 }], [{ port: -1 }, { port: 65_536 }, { port: 1.5 }]],
    ['--pid', [{ pid: 1 }, { pid: null }], [{ pid: 0 }, { pid: -1 }, { pid: 1.5 }]],
    ['--data-dir', [{ dataDir: 'here' }], [{ dataDir: '' }]],
    [
      '--provider-url',
      [{ providerUrl: 'https://models.example/v1' }, { providerUrl: 'http://127.0.0.1:1/v1' }],
      [{ providerUrl: 'http://models.example/v1' }, { providerUrl: '' }],
    ],
  ];
  for (const [option, allowed, refused] of rows) {
    for (const more of allowed) checkOptions({ ...OPTIONS, ...more });
    for (const more of refused) {
      assert.throws(
        () => checkOptions({ ...OPTIONS, ...more }),
        (error) => {
          assert.ok(error instanceof StartError, String(error));
          assert.equal(error.code, 'invalid_option');
          assert.ok(error.message.startsWith(`Cannot start: ${option} `), error.message);
          return true;
        },
        JSON.stringify(more),
      );
    }
  }
});
