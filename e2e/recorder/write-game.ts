// A small game as a folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../../packages/cli/test/svc.ts';

/** The content of files by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Writes the files to a new folder, which is removed after the test. */
export function writeGame(t: TestContext, files: Files): string {
  const folder = temporaryFolder(t);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
