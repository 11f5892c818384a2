// Builds the single executable of svc for one system: Node, and the files of the package inside.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'postject';
import { filesIn } from '../archive.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { seaBlob } from './sea-blob.ts';
import type { Target } from './targets.ts';

/** What Node looks for in its own program, and the names under which it finds the data. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const RESOURCE = 'NODE_SEA_BLOB';
const SEGMENT = 'NODE_SEA';

export type NodeProgram = {
  readonly bytes: Buffer;
  readonly version: string;
  /** The text of its licence, and of those of the software inside. */
  readonly license: string;
};

/** Returns the executable. `folder` contains the files of svc: the bundle, the viewer and the programs of probes. */
export async function buildExecutable(
  { prepare, finish, executable }: Target,
  node: NodeProgram,
  folder: string,
): Promise<Buffer> {
  // Node 24 starts a script in CommonJS only.
  const start = readFileSync(join(import.meta.dirname, 'start.js'), 'utf8').replace('export ', '');
  const names = filesIn(folder);
  const files = new Map<string, Uint8Array>(
    names.map((name) => [name, readFileSync(join(folder, name))]),
  );
  files.set('start.js', Buffer.from(start));
  const main = `${start}start('main.mjs');\n`;
  const blob = seaBlob({ main, mainName: 'svc', files }, node.version);
  using work = temporaryFolder();
  const file = join(work.path, executable);
  writeFileSync(file, prepare(node.bytes));
  const options = { sentinelFuse: FUSE, machoSegmentName: SEGMENT };
  await withoutWarnings(() => inject(file, RESOURCE, blob, options));
  return finish(readFileSync(file));
}

/** The library that changes the program warns about the sections that were removed from it. */
async function withoutWarnings(work: () => Promise<void>): Promise<void> {
  const { error, log, warn } = console;
  const ignore = (): void => {};
  Object.assign(console, { error: ignore, log: ignore, warn: ignore });
  try {
    await work();
  } finally {
    Object.assign(console, { error, log, warn });
  }
}
