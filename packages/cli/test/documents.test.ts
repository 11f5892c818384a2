// docs/cli.md agrees with the code about commands and exit codes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PLATFORM_ERRORS } from '@svc/contracts/platform';
import { loadAllCommands } from '../src/commands.ts';
import { EXIT_MEANINGS } from '../src/process/exit-codes.ts';

const text = readFileSync(join(import.meta.dirname, '../../../docs/cli.md'), 'utf8');

test('docs/cli.md names every command', async () => {
  for (const { name } of await loadAllCommands()) assert.match(text, new RegExp(`\`${name}[ \`]`));
});

test('docs/cli.md lists every exit code with the meaning in the help text', () => {
  const rows = [...text.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, meaning]) => [
    code,
    meaning?.replaceAll('`', ''),
  ]);
  assert.deepEqual(rows, Object.entries(EXIT_MEANINGS));
});

test('every error of the platform has a documented exit code', () => {
  for (const { exit } of Object.values(PLATFORM_ERRORS))
    assert.ok(Object.hasOwn(EXIT_MEANINGS, exit));
});
