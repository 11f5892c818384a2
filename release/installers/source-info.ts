// The `.SRCINFO` that the Arch User Repository reads in place of the PKGBUILD, as `makepkg --printsrcinfo` writes it.
import { DESCRIPTION } from '../description.ts';

export type SourceInfo = {
  readonly version: string;
  readonly address: string;
  readonly sumFor: (system: string) => string;
};

export function sourceInfo({ version, address, sumFor }: SourceInfo): string {
  const fields = [
    ...[
      `pkgdesc = ${DESCRIPTION.summary}`,
      `pkgver = ${version}`,
      'pkgrel = 1',
      `url = ${address}`,
    ],
    ...['arch = x86_64', 'arch = aarch64', `license = ${DESCRIPTION.license}`],
    ...['depends = glibc', 'depends = gcc-libs', 'provides = svc'],
    ...['conflicts = svc', 'conflicts = daemontools', 'options = !strip'],
    `source_x86_64 = ${address}/svc-${version}-linux-x64.tar.gz`,
    `sha256sums_x86_64 = ${sumFor('linux-x64')}`,
    `source_aarch64 = ${address}/svc-${version}-linux-arm64.tar.gz`,
    `sha256sums_aarch64 = ${sumFor('linux-arm64')}`,
  ];
  return `pkgbase = svc-bin\n${fields.map((line) => `\t${line}\n`).join('')}\npkgname = svc-bin\n`;
}
