// Violates every constraint of svc.json and checks the errors of the reader that all commands use.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ExitError } from '../../packages/cli/src/process/exit-codes.ts';
import { ProjectFile, readProjectFile } from '../../packages/cli/src/project/project-file.ts';
import { constraintsOf, countConstraints } from './constraints.ts';
import { assertPlain } from './readable.ts';

test('svc.json: the error for each constraint names the field and the allowed values', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-project-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const refusalOf = (text: string): ExitError => {
    writeFileSync(join(folder, 'svc.json'), text);
    try {
      readProjectFile(folder);
    } catch (error) {
      if (error instanceof ExitError) return error;
      throw error;
    }
    return assert.fail(`accepted: ${text}`);
  };
  const schema = JSON.parse(JSON.stringify(ProjectFile));
  const constraints = constraintsOf(schema, 'file');
  assert.equal(constraints.length, countConstraints(schema));
  for (const { path, rule, input, names } of constraints) {
    const about = `${path.join('.')} ${rule}`;
    const { message, extras } = refusalOf(JSON.stringify(input));
    assert.equal(message, 'Cannot use svc.json: it has a mistake.', about);
    const [detail] = extras.details ?? [];
    assertPlain(detail?.message ?? '', about);
    for (const name of names) {
      const says = detail?.message.toLowerCase().includes(name.toLowerCase());
      assert.ok(says, `${about}: "${detail?.message}" does not name "${name}"`);
    }
  }
  const torn = refusalOf('{\n  "title": "x",\n}');
  assert.equal(
    torn.message,
    'svc.json is not valid JSON: there is an unexpected character at line 3, column 1.',
  );
  assert.deepEqual([torn.extras.line, torn.extras.column], [3, 1]);
});
