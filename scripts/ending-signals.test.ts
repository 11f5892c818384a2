// All programs must handle the same signals, although not all can import the same list.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENDING_SIGNALS } from './on-ending.ts';
import { ROOT } from './workspaces.ts';

const FILES = [
  'packages/serve/src/ending-signals.ts',
  'packages/cli/src/main.ts',
  'packages/serve/start/start-program.mjs',
];

test('every program handles the same signals', () => {
  for (const file of FILES) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const named = new Set([...text.matchAll(/'(SIG[A-Z0-9]+)'/g)].map(([, name]) => name));
    // A program can't handle SIGKILL.
    named.delete('SIGKILL');
    assert.deepEqual([...named].sort(), [...ENDING_SIGNALS].sort(), file);
  }
});
