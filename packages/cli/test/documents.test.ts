// docs/cli.md says what the code says: commands and exit codes, and those of the contract.
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

test('docs/cli.md tells every exit code as the command does', () => {
  const rows = [...text.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, meaning]) => [
    code,
    meaning?.replaceAll('`', ''),
  ]);
  assert.deepEqual(rows, Object.entries(EXIT_MEANINGS));
});

test('every error of the platform ends with an exit code that is told', () => {
  for (const { exit } of Object.values(PLATFORM_ERRORS))
    assert.ok(Object.hasOwn(EXIT_MEANINGS, exit));
});
