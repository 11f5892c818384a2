// The published schemas are up to date, each document belongs to a command, and svc.json is checked by its schema.
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

test('schemas/ is up to date; if not, run node packages/cli/scripts/schemas.ts', () => {
  const files = schemaFiles();
  assert.deepEqual(readdirSync(SCHEMA_FOLDER).sort(), [...files.keys()].sort());
  for (const [name, text] of files) {
    const published: unknown = JSON.parse(readFileSync(join(SCHEMA_FOLDER, name), 'utf8'));
    assert.deepEqual(published, JSON.parse(text), name);
  }
});

test('each command names the document with its own name, and each document belongs to a command', async () => {
  const commands = (await loadAllCommands()).flatMap((spec) =>
    isGroup(spec)
      ? spec.commands.map((child) => ({ ...child, name: `${spec.name}-${child.name}` }))
      : [spec],
  );
  const printing = commands.filter(({ document }) => document !== undefined);
  for (const { name, document } of printing) assert.equal(document, name);
  assert.deepEqual(printing.map(({ name }) => name).sort(), Object.keys(DOCUMENTS).sort());
  const others = commands.filter((spec) => !printing.includes(spec)).map(({ name }) => name);
  assert.deepEqual(others, ['mcp', 'completion']);
});

test('the schema of svc.json accepts a complete file and rejects invalid ones', () => {
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
