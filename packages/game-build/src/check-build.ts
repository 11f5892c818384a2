// Checks a ZIP or a folder offline, by the same rules as the server.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Build } from './build.ts';
import { extractEntries } from './extract/extract-entries.ts';
import { BuildError, type Refusal } from './findings.ts';
import { type PackOptions, packToFile } from './pack/pack-folder.ts';
import { readArchive } from './read-archive.ts';

export type Verdict =
  | { readonly accepted: true; readonly build: Build }
  | {
      readonly accepted: false;
      readonly code: Refusal['code'];
      readonly findings: readonly Refusal[];
    };

/**
 * Checks a ZIP, or packs a folder into a temporary file, checks that and removes it. Throws other errors than findings: Node's
 * errors, such as `ENOENT`, and the signal's reason.
 */
export async function checkBuild(path: string, options: PackOptions = {}): Promise<Verdict> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    const build = isFolder ? await checkFolder(path, options) : await checkZip(path, options);
    return { accepted: true, build };
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return { accepted: false, code: error.code, findings: error.findings };
  }
}

async function checkFolder(folder: string, options: PackOptions): Promise<Build> {
  const temporary = await mkdtemp(join(tmpdir(), 'svc-check-'));
  try {
    const zip = join(temporary, 'build.zip');
    await packToFile(folder, zip, options);
    return await checkZip(zip, options);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function checkZip(zip: string, { limits, signal }: PackOptions): Promise<Build> {
  await using archive = await readArchive(zip, limits);
  return await extractEntries(archive, null, signal === undefined ? {} : { signal });
}
