// Writes the scripts and recipes that install the single executables. They contain the SHA-256 of each archive.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DESCRIPTION } from '../description.ts';
import { SHARED_FILES } from '../linux/shared-files.ts';
import { scoopManifest } from './scoop-manifest.ts';
import { sourceInfo } from './source-info.ts';

export type Installers = {
  readonly out: string;
  readonly version: string;
  /** The address of the folder that will contain the release. Null if it is not known. */
  readonly address: string | null;
  /** The SHA-256 of each archive, by its name. */
  readonly sums: ReadonlyMap<string, string>;
};

/** The systems of each recipe. It is written if the release has archives for all of them. */
const RECIPES = {
  homebrew: ['macos-arm64', 'macos-x64', 'linux-arm64', 'linux-x64'],
  aur: ['linux-x64', 'linux-arm64'],
  scoop: ['windows-x64'],
} as const;

/** Writes the scripts into the release, and recipes for package managers if the address of the release is known. */
export function writeInstallers({ out, version, address, sums }: Installers): void {
  const sumFor = (system: string): string => {
    const ending = system.startsWith('windows-') ? 'zip' : 'tar.gz';
    return sums.get(`svc-${version}-${system}.${ending}`) ?? '';
  };
  const values: Readonly<Record<string, string>> = {
    VERSION: version,
    ADDRESS: address ?? '',
    SUMS: [...sums].map(([name, sum]) => `${sum}  ${name}`).join('\n'),
    SHARED: Object.values(SHARED_FILES).join('\n'),
    SUMMARY: DESCRIPTION.summary,
    LICENSE: DESCRIPTION.license,
    MAINTAINER: DESCRIPTION.maintainer,
    MANUAL: SHARED_FILES.manual,
    BASH: SHARED_FILES.bash,
    ZSH: SHARED_FILES.zsh,
    FISH: SHARED_FILES.fish,
  };
  const fill = (name: string): string =>
    readFileSync(join(import.meta.dirname, name), 'utf8').replaceAll(
      /@([A-Z]+)(?::([\w-]+))?@/g,
      (whole, key: string, system?: string) =>
        system === undefined ? (values[key] ?? whole) : sumFor(system),
    );
  const put = (path: string, text: string): string => {
    const file = join(out, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  chmodSync(put('install.sh', fill('install.sh')), 0o755);
  // PowerShell of Windows reads files without a byte order mark as ANSI. The script is ASCII.
  put('install.ps1', fill('install.ps1').replaceAll('\n', '\r\n'));
  if (address === null) return;
  const has = (recipe: keyof typeof RECIPES): boolean =>
    RECIPES[recipe].every((system) => sumFor(system) !== '');
  if (has('homebrew')) put('recipes/homebrew/svc.rb', fill('svc.rb'));
  if (has('aur')) {
    put('recipes/aur/PKGBUILD', fill('PKGBUILD'));
    put('recipes/aur/.SRCINFO', sourceInfo({ version, address, sumFor }));
  }
  if (has('scoop')) {
    put('recipes/scoop/svc.json', scoopManifest({ version, address, sum: sumFor('windows-x64') }));
  }
}
