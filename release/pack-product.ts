// Writes the archive of one package of the release.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readVersion } from '../scripts/version.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { filesIn, writeArchive } from './archive.ts';
import { bundleProgram } from './bundle.ts';
import type { Product } from './products.ts';
import { publishedManifest } from './published-manifest.ts';
import { noticesOf, type ShippedPackage } from './shipped-packages.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Stages the package and writes its archive into a folder. Returns the path. The code for browsers must be built. */
export async function packProduct(product: Product, out: string, time: Date): Promise<string> {
  using folder = temporaryFolder();
  await stageProduct(product, folder.path);
  return await archiveProduct(product, { folder: folder.path, out, time });
}

/** Where a package is staged, the folder for its archive, and the time of all files in it. */
export type Staged = { readonly folder: string; readonly out: string; readonly time: Date };

/** Writes the archive of a staged package. Returns its path. */
export async function archiveProduct(
  { workspace }: Product,
  { folder, out, time }: Staged,
): Promise<string> {
  const file = join(out, `svc-${basename(workspace)}-${readVersion()}.tgz`);
  // npm expects this folder in the archive.
  await writeArchive({ folder, inside: 'package', file, time });
  return file;
}

/** Writes the files of the package into a folder, as they are in its archive. Returns the packages of others whose code is in it. */
export async function stageProduct(
  product: Product,
  folder: string,
): Promise<readonly ShippedPackage[]> {
  mkdirSync(folder, { recursive: true });
  const shipped = await product.write(folder);
  const workspace = join(ROOT, product.workspace);
  if (product.start !== null) {
    await bundleProgram({
      input: { [basename(product.start, '.mjs')]: join(workspace, 'bin', product.start) },
      folder: join(folder, 'bin'),
      external: [],
      minify: false,
    });
  }
  writeFileSync(join(folder, 'package.json'), publishedManifest(product));
  copyFileSync(join(workspace, 'README.npm.md'), join(folder, 'README.md'));
  copyFileSync(join(ROOT, 'docs/images', product.picture), join(folder, product.picture));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  if (shipped.length > 0) {
    writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesOf(shipped));
  }
  for (const path of filesIn(folder)) {
    const file = join(folder, path);
    chmodSync(file, isProgram(file) ? 0o755 : 0o644);
  }
  return shipped;
}

function isProgram(file: string): boolean {
  return readFileSync(file).subarray(0, 2).toString() === '#!';
}
