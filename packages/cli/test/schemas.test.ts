// The published schemas are those of the code, there is one for each command that writes JSON, and svc.json's is in use.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import { SCHEMA_FOLDER, schemaFiles } from '../scripts/schemas.ts';
import { isGroup } from '../src/command-line/define-command.ts';
import { loadAllCommands } from '../src/commands.ts';
import { DOCUMENTS } from '../src/documents.ts';
import { ProjectFile } from '../src/project/project-file.ts';

test('schemas/ holds what the code says; if not: node packages/cli/scripts/schemas.ts', () => {
  const files = schemaFiles();
  assert.deepEqual(readdirSync(SCHEMA_FOLDER).sort(), [...files.keys()].sort());
  for (const [name, text] of files) {
    const published: unknown = JSON.parse(readFileSync(join(SCHEMA_FOLDER, name), 'utf8'));
    assert.deepEqual(published, JSON.parse(text), name);
  }
});

test('every command with a JSON face has a schema', async () => {
  const commands = (await loadAllCommands()).flatMap((spec) =>
    isGroup(spec)
      ? spec.commands.map((child) => ({ ...child, name: `${spec.name}-${child.name}` }))
      : [spec],
  );
  const names = commands.filter((spec) => spec.json !== false).map((spec) => spec.name);
  assert.deepEqual(Object.keys(DOCUMENTS).sort(), [...names, 'error'].sort());
});

test('the schema of svc.json takes a whole file and refuses a wrong one', () => {
  const whole = {
    id: 'x',
    slug: 'space-cats',
    title: 'Space Cats',
    engine: 'godot',
    build: 'dist',
    ignore: ['*.psd'],
  };
  assert.ok(Check(ProjectFile, whole));
  for (const wrong of [
    {},
    { ...whole, slug: 'No' },
    { ...whole, engine: 'quake' },
    { ...whole, extra: 1 },
  ]) {
    assert.ok(!Check(ProjectFile, wrong));
  }
});
