// Builds for tests of their descriptions: a few files with an index, packed and checked.
import assert from 'node:assert/strict';
import {
  type Build,
  type BuildLimits,
  bufferSource,
  extractEntries,
  readArchive,
} from '../src/index.ts';
import { buildZip } from './zip-builder.ts';

/** Describes a build of these files and an index. The files are stored if `deflate` is false. */
export async function build(
  files: Readonly<Record<string, string | Buffer>>,
  limits: Partial<BuildLimits> = {},
  deflate = true,
): Promise<Build> {
  const all = { 'index.html': '<title>x</title>', ...files };
  const zip = buildZip(Object.entries(all).map(([name, data]) => ({ name, data, deflate })));
  await using archive = await readArchive(bufferSource(zip), limits);
  return await extractEntries(archive, null);
}

/** The description of one file, and the codes of all warnings. */
export async function describe(path: string, data: string | Buffer) {
  const { files, warnings } = await build({ [path]: data });
  const file = files.find((one) => one.path === path);
  assert.ok(file !== undefined);
  return { ...file, warnings: warnings.map((warning) => warning.code) };
}

/** The code and entry of each warning. */
export function warned({ warnings }: Build): [string, string | null][] {
  return warnings.map(({ code, entry }) => [code, entry]);
}

/** The hosts in the description of one file. */
export async function hostsOf(path: string, text: string): Promise<readonly string[]> {
  return (await build({ [path]: text })).foreign_hosts;
}

export const WASM: Buffer = Buffer.from('0061736d01000000', 'hex');
export const PNG: Buffer = Buffer.concat([
  Buffer.from('89504e470d0a1a0a', 'hex'),
  Buffer.alloc(100),
]);
export const SCRIPT: string = 'function start() { return 1 }\n'.repeat(100);
