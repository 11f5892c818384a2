// The manifest for Scoop: https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests
import { DESCRIPTION } from '../description.ts';

export type ScoopOptions = {
  readonly version: string;
  readonly address: string;
  /** The SHA-256 of the archive for Windows. */
  readonly sum: string;
};

export function scoopManifest({ version, address, sum }: ScoopOptions): string {
  const manifest = {
    version,
    description: DESCRIPTION.summary,
    homepage: address,
    license: DESCRIPTION.license,
    architecture: {
      '64bit': { url: `${address}/svc-${version}-windows-x64.zip`, hash: sum },
    },
    bin: 'svc.exe',
  };
  return `${JSON.stringify(manifest, null, 4)}\n`;
}
