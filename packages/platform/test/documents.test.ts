// The documents say what the contract says: every route, code and limit, with its figure.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PLATFORM_ERRORS, PLATFORM_LIMITS, ROUTES } from '@svc/contracts/platform';

const text = readFileSync(join(import.meta.dirname, '../../../docs/platform-api.md'), 'utf8');

test('docs/platform-api.md lists every route with its status', () => {
  for (const row of Object.values(ROUTES)) {
    const line = text
      .split('\n')
      .find((one) => one.startsWith(`| \`${row.method} ${row.path}\` |`));
    assert.ok(line?.includes(`| ${row.status} |`), `${row.method} ${row.path}`);
  }
});

test('docs/platform-api.md lists every code and limit as they are, and no other', () => {
  for (const [code, row] of Object.entries(PLATFORM_ERRORS)) {
    assert.ok(
      text.includes(`| \`${code}\` | ${row.status} | ${row.exit} | ${row.meaning} |`),
      code,
    );
  }
  for (const [name, value] of Object.entries(PLATFORM_LIMITS)) {
    assert.ok(text.includes(`| \`${name}\` | ${value.toLocaleString('en')} |`), name);
  }
});
