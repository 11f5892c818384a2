// The lists in this folder match the sources.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../scripts/workspaces.ts';
import { findMutants } from './find-mutants.ts';
import { keyOf, readLists } from './lists.ts';

test('each fault that is listed as equivalent exists in the sources', () => {
  const { equivalent } = readLists(import.meta.dirname);
  const files = [...new Set(equivalent.map(({ file }) => file))];
  const existing = new Set(
    files
      .flatMap((file) => findMutants(file, readFileSync(join(ROOT, file), 'utf8')))
      .map(({ id }) => keyOf(id)),
  );
  const gone = equivalent.filter((one) => !existing.has(keyOf(one)));
  assert.deepEqual(gone, []);
});
