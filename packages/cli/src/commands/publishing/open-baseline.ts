// The build that `svc check --run --against` compares with: a folder, a ZIP, or a version that is downloaded.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Call } from '../../command-line/define-command.ts';
import { safeLine } from '../../output/text.ts';
import type { ApiOptions } from '../../platform/api-address.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { explainFullDisk } from '../../process/disk-full.ts';
import { type BuildRequest, prepareBuild } from '../../project/prepare-build.ts';
import { requireProjectId } from '../../project/project-file.ts';
import type { Baseline } from './run-build.ts';

/** Opens the build. Disposing of it removes what was downloaded or packed. Throws an ExitError. */
export async function openBaseline(
  call: Call<ApiOptions>,
  against: string,
  request: Omit<BuildRequest, 'named'>,
): Promise<Baseline & Disposable> {
  if (existsSync(resolve(call.io.cwd, against)) || /[/\\]|\.zip$/i.test(against)) {
    const prepared = await prepareBuild({ ...request, named: against });
    return { prepared, name: against, [Symbol.dispose]: () => prepared[Symbol.dispose]() };
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-check-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'build.zip');
    await download(call, against, path);
    const prepared = await prepareBuild({ ...request, named: path });
    return { prepared, name: `version ${against}`, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    throw error;
  }
}

async function download(call: Call<ApiOptions>, version: string, path: string): Promise<void> {
  const id = requireProjectId(call.io.cwd);
  await withPlatform(call, async ({ platform }) => {
    call.output.note(`Downloading version ${safeLine(version)} …`);
    await platform.saveBuild({ id, version }, path).catch((error: unknown) => {
      throw explainFullDisk(error, 'save the build');
    });
  });
}
