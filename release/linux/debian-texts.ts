// The texts that Debian expects in each package.
import { DESCRIPTION } from '../description.ts';

export type DebianTexts = {
  readonly changelog: string;
  readonly copyright: string;
  /** Remarks of Debian's checker, lintian, that do not apply, with the reasons. */
  readonly overrides: string;
};

export function debianTexts(name: string, version: string, time: Date): DebianTexts {
  return {
    changelog: `${name} (${version}) stable; urgency=medium

  * The changes are listed in the CHANGELOG.md of svc.

 -- ${DESCRIPTION.maintainer}  ${time.toUTCString().replace('GMT', '+0000')}
`,
    copyright: `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: svc

Files: *
Copyright: ${time.getUTCFullYear()} The svc developers
License: Apache-2.0
Comment: The package contains software of others under their own licences:
 ${LICENCES[name]}.

License: Apache-2.0
 On Debian systems, the text of the licence is in
 /usr/share/common-licenses/Apache-2.0.
`,
    overrides: [
      '# Node contains its own zlib, and is not built as a position-independent executable.',
      `${name}: embedded-library`,
      `${name}: hardening-no-pie`,
      ...(name === 'svc' ? [] : SERVER_OVERRIDES.map((line) => line.replace('NAME', name))),
      '',
    ].join('\n'),
  };
}

/** Where the licences of others are, by the name of the package. */
const LICENCES: Readonly<Record<string, string>> = {
  svc: '/usr/share/doc/svc/THIRD-PARTY-NOTICES.txt.gz',
  'svc-server':
    '/usr/lib/svc-server/NODE-LICENSE, /usr/lib/svc-server/licenses and the files\n THIRD-PARTY-NOTICES.txt and LICENSE below /usr/lib/svc-server',
};

const SERVER_OVERRIDES = [
  '# The package contains the Node that runs these.',
  'NAME: missing-dep-for-interpreter',
];
