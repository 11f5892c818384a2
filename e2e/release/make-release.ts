// Makes a release once for the tests of a file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ReleaseOptions, release } from '../../release/release.ts';
import type { Target } from '../../release/single-file/targets.ts';

export type Made = Disposable & {
  readonly folder: string;
  readonly files: readonly string[];
};

/** The time of all files in the release. */
export const TIME: Date = new Date('2026-01-02T03:04:06.000Z');

export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** Makes the packages, and single executables for the systems. */
export async function makeRelease(
  targets: readonly Target[] = [],
  more: Partial<ReleaseOptions> = {},
): Promise<Made> {
  const home = mkdtempSync(join(tmpdir(), 'svc-release-'));
  const folder = join(home, 'out');
  const files = await release({
    ...{ out: folder, time: TIME, commit: COMMIT, targets },
    ...more,
  });
  return {
    folder,
    files,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}
