// Folders that are removed when they are no longer used, at the latest when the process ends. After SIGKILL they stay.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TemporaryFolder = Disposable & { readonly path: string };

const used = new Set<string>();

process.on('exit', () => {
  for (const path of used) remove(path);
});

/** Makes an empty folder among the system's temporary files. */
export function temporaryFolder(): TemporaryFolder {
  return hold(mkdtempSync(join(tmpdir(), 'svc-release-')));
}

/** Makes an empty folder in the place of what is there. It may be moved away before it is disposed of. */
export function emptyFolder(path: string): TemporaryFolder {
  remove(path);
  mkdirSync(path, { recursive: true });
  return hold(path);
}

function hold(path: string): TemporaryFolder {
  used.add(path);
  return {
    path,
    [Symbol.dispose]: () => {
      used.delete(path);
      remove(path);
    },
  };
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
