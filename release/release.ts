// `npm run release -- --out DIR`: makes every file of a release. The same commit gives the same bytes.
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildBrowserCode } from '../scripts/build-browser.ts';
import { onEnding } from '../scripts/on-ending.ts';
import { readVersion } from '../scripts/version.ts';
import { readWorkspaces } from '../scripts/workspaces.ts';
import { filesIn } from './archive.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { readCommit } from './commit.ts';
import { writeInstallers } from './installers/write-installers.ts';
import { archiveProduct, stageProduct } from './pack-product.ts';
import { CLI, PRODUCTS, type Product } from './products.ts';
import { provenance } from './provenance.ts';
import { nodePackages } from './published-manifest.ts';
import { writeServer } from './server/write-server.ts';
import { installedPackage, referenceTo } from './shipped-packages.ts';
import { signExecutable, signWithSshKey } from './sign.ts';
import { TARGETS, type Target } from './single-file/targets.ts';
import { writeExecutable } from './single-file/write-executable.ts';
import { emptyFolder, temporaryFolder } from './temporary-folder.ts';

const SUMS = 'SHA256SUMS';
const BILL = 'sbom.cdx.json';
const PROVENANCE = 'provenance.intoto.json';

export type ReleaseOptions = {
  /** The folder for the files. It must be empty or absent. */
  readonly out: string;
  /** The time of all files in archives. */
  readonly time: Date;
  /** The id of the commit in Git. Null if files differ from it. */
  readonly commit: string | null;
  /** The systems to make single executables for. */
  readonly targets: readonly Target[];
  /** The address of the folder that will contain the release, for the installers. */
  readonly address?: string;
  /** Who makes the release, as a URI. */
  readonly builder?: string;
  /** The file with the SSH key that signs the sums. */
  readonly signKey?: string;
  /** A program that signs the executables for macOS and Windows: `PROGRAM SYSTEM FILE`. */
  readonly signProgram?: string;
};

const UNKNOWN_BUILDER = 'urn:svc:builder:unknown';

/** Makes the files of the release. Returns their names. If it fails, the folder is as before. */
export async function release(options: ReleaseOptions): Promise<readonly string[]> {
  const { out } = options;
  if (existsSync(out) && readdirSync(out).length > 0) {
    throw new Error(`${out} is not empty. Choose another folder with --out.`);
  }
  using unfinished = emptyFolder(`${out}.unfinished`);
  const names = await writeFiles({ ...options, out: unfinished.path });
  // Also in place of an empty folder.
  renameSync(unfinished.path, out);
  return names;
}

async function writeFiles(options: ReleaseOptions): Promise<readonly string[]> {
  const { out, time, targets, address, signProgram } = options;
  const version = readVersion();
  buildBrowserCode();
  using work = temporaryFolder();
  const shipped = new Set<string>();
  const installed = new Set<string>();
  const folderOf = ({ workspace }: Product): string => join(work.path, basename(workspace));
  for (const product of PRODUCTS) {
    const folder = folderOf(product);
    for (const one of await stageProduct(product, folder)) shipped.add(referenceTo(one));
    for (const one of product.installed) installed.add(referenceTo(installedPackage(one)));
    await archiveProduct(product, { folder, out, time });
  }
  for (const target of targets) {
    const sign = signerOf(target, signProgram);
    await writeExecutable(target, { packaged: folderOf(CLI), out, time, sign });
    if (target.name.startsWith('linux-')) await writeServer(target, { folderOf, out, time });
  }
  for (const { manifest } of readWorkspaces()) {
    const { name } = manifest;
    if (name.startsWith('@svc/')) shipped.add(referenceTo({ name, version }));
  }
  for (const [name, exact] of Object.entries(nodePackages())) {
    shipped.add(referenceTo({ name, version: exact }));
  }
  writeFileSync(join(out, BILL), billOfMaterials({ shipped, installed, version, time }));
  const sums = sumsOf(out);
  if (targets.length > 0) writeInstallers({ out, version, address: address ?? null, sums });
  writeFileSync(join(out, PROVENANCE), provenanceOf(options, sumsOf(out, sums)));
  const all = sumsOf(out, sums);
  // As `sha256sum --check` reads it.
  writeFileSync(join(out, SUMS), [...all].map(([name, sum]) => `${sum}  ${name}\n`).join(''));
  if (options.signKey !== undefined) signWithSshKey(join(out, SUMS), options.signKey);
  return filesIn(out);
}

/** The SHA-256 of each file in the folder, by its name. Those that are known are not computed again. */
function sumsOf(
  out: string,
  known: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  return new Map(filesIn(out).map((name) => [name, known.get(name) ?? sumOf(join(out, name))]));
}

function provenanceOf(options: ReleaseOptions, sums: ReadonlyMap<string, string>): string {
  const { commit, targets, address = null, builder = UNKNOWN_BUILDER } = options;
  const systems = targets.map(({ name }) => name);
  const nodes = targets.map(({ node }) => node);
  const isSigned = options.signProgram !== undefined;
  return provenance({ sums, commit, systems, address, builder, nodes, isSigned });
}

/** Executables for Linux are not signed: nothing there asks for it. */
function signerOf(
  { name }: Target,
  program: string | undefined,
): ((file: string) => void) | undefined {
  if (program === undefined || name.startsWith('linux-')) return undefined;
  return (file) => signExecutable(program, name, file);
}

function sumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      targets: { type: 'string' },
      address: { type: 'string' },
      builder: { type: 'string' },
      'sign-key': { type: 'string' },
      'sign-program': { type: 'string' },
      'allow-changes': { type: 'boolean', default: false },
    },
  });
  if (values.out === undefined) throw new Error('Name the folder for the release: --out DIR');
  // npm runs scripts in the folder of the repository. A relative folder is meant from where the user is.
  const from = process.env['INIT_CWD'] ?? process.cwd();
  const out = resolve(from, values.out);
  if (!Object.values(nodePackages()).includes(process.versions.node)) {
    throw new Error(
      `This is Node ${process.versions.node}. Run npm ci and npm run release, which use the Node of the lockfile.`,
    );
  }
  const { id, time, changed } = readCommit();
  const commit = changed.length === 0 ? id : null;
  if (changed.length > 0 && !values['allow-changes']) {
    throw new Error(
      `These files are not as committed:\n${changed.join('\n')}\nCommit them, or add --allow-changes.`,
    );
  }
  const targets =
    values.targets === undefined ? TARGETS : values.targets.split(',').map(targetNamed);
  const { builder, 'sign-key': key, 'sign-program': program } = values;
  const names = await release({
    ...{ out, time, commit, targets, ...addressOf(values.address) },
    ...(builder === undefined ? {} : { builder }),
    ...(key === undefined ? {} : { signKey: resolve(from, key) }),
    ...(program === undefined ? {} : { signProgram: resolve(from, program) }),
  });
  for (const name of names) {
    const { size } = statSync(join(out, name));
    console.log(`${kib(size).padStart(12)}  ${relative(from, join(out, name))}`);
  }
}

/** Throws if it is no address of the web. */
function addressOf(text: string | undefined): { address?: string } {
  if (text === undefined) return {};
  if (!/^https:\/\/[\w.:@/~%+-]+$/.test(text)) {
    throw new Error(
      '--address takes the https:// address of the folder that will contain the release.',
    );
  }
  return { address: text.replace(/\/$/, '') };
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

/** Throws if there is no such system. */
function targetNamed(name: string): Target {
  const found = TARGETS.find((one) => one.name === name);
  if (found !== undefined) return found;
  const known = TARGETS.map((one) => one.name).join(', ');
  throw new Error(`There is no system "${name}". --targets takes names of: ${known}.`);
}

if (import.meta.main) {
  // The temporary folders are removed at the exit.
  onEnding((signal) => process.exit(128 + constants.signals[signal]));
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
