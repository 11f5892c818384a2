// Writes `schemas/`: one JSON schema for svc.json, and one for each document that `--json` writes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTS, ErrorDocument, VersionDocument } from '../src/documents.ts';
import { ProjectFile } from '../src/project/project-file.ts';

export const SCHEMA_FOLDER: string = join(import.meta.dirname, '../schemas');

/** Every schema file's name and text. */
export function schemaFiles(): Map<string, string> {
  const files = new Map([
    ['svc.json', format('svc.json', ProjectFile)],
    ['version.output.json', format('svc --version --json', VersionDocument)],
    ['error.output.json', format('svc … --json, where it fails', ErrorDocument)],
  ]);
  for (const [name, schema] of Object.entries(DOCUMENTS)) {
    files.set(`${name}.output.json`, format(`svc ${name.replaceAll('-', ' ')} --json`, schema));
  }
  return files;
}

function format(title: string, schema: object): string {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`;
}

if (import.meta.main) {
  mkdirSync(SCHEMA_FOLDER, { recursive: true });
  for (const [name, text] of schemaFiles()) writeFileSync(join(SCHEMA_FOLDER, name), text);
}
