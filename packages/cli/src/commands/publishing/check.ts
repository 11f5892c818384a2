// `svc check`: checks a build offline by the rules of the platform, and lists all findings with hints.
import type { Build } from '@svc/game-build';
import { defineCommand } from '../../command-line/define-command.ts';
import type { Documents } from '../../documents.ts';
import { formatFindings } from '../../output/format-findings.ts';
import type { Paint } from '../../output/output.ts';
import { formatTable } from '../../output/table.ts';
import { formatBytes, formatCount, formatFields, safeText } from '../../output/text.ts';
import { interruptible } from '../../process/interrupt.ts';
import { type PreparedBuild, prepareBuild } from '../../project/prepare-build.ts';
import { readProjectFile } from '../../project/project-file.ts';
import { comparePortals, type PortalVerdict } from './portal-limits.ts';

/** How many of the largest files are shown. */
const LARGEST = 5;

export const checkCommand = defineCommand({
  name: 'check',
  summary: 'Check a build by the rules of the platform, offline',
  description: `svc reads the build as the platform does and lists all findings: files that are not safe, references that will not work for players (missing files, names in the wrong case, absolute addresses), files that should not be public (keys, source maps), and sizes beyond the limits of this and other platforms. No data is sent.

The exit code is 0 if the platform would accept the build, 7 if it would not, and 8 if the build is too large.`,
  arguments: [
    {
      name: '[DIR|ZIP]',
      help: 'the build (default: the one in svc.json)',
      value: { kind: 'file', endings: ['zip'] },
    },
  ],
  options: [
    { flags: '--allow-secrets', help: 'allow keys and .env files, which every player can read' },
  ],
  document: 'check',
  async run({ args, options, io, output }) {
    await interruptible(io, async (signal) => {
      using prepared = await prepareBuild({
        cwd: io.cwd,
        named: args[0],
        project: readProjectFile(io.cwd),
        allowSecrets: options.allowSecrets === true,
        limits: {},
        signal,
      });
      const portals = comparePortals(prepared.build);
      output.result(toDocument(prepared, portals), (paint) =>
        formatCheck(prepared, portals, paint),
      );
    });
  },
});

function toDocument(
  { shownPath, build, ignored }: PreparedBuild,
  portals: PortalVerdict[],
): Documents['check'] {
  const { root, dropped, zip_bytes, expanded_bytes, file_count, digest, isolation, threads } =
    build;
  return {
    path: shownPath,
    accepted: true,
    digest,
    root,
    zip_bytes,
    expanded_bytes,
    file_count,
    isolation,
    threads,
    dropped,
    ignored,
    findings: build.warnings,
    files: build.files.map(({ path, type, encoding, bytes }) => ({ path, type, encoding, bytes })),
    portals,
  };
}

function formatCheck(
  { shownPath, build, ignored }: PreparedBuild,
  portals: readonly PortalVerdict[],
  paint: Paint,
): string[] {
  const largest = build.files.toSorted((a, b) => b.bytes - a.bytes).slice(0, LARGEST);
  return [
    `${paint('green', 'Safe to publish:')} ${safeText(shownPath)}`,
    ...formatFields([
      [
        'files',
        `${formatCount(build.file_count)}, ${formatBytes(build.expanded_bytes)} (ZIP ${formatBytes(build.zip_bytes)})`,
      ],
      ['digest', build.digest],
      ['isolation', isolationText(build)],
      ...(build.root === ''
        ? []
        : [['root', `${build.root}/ (the only top-level folder)`] as const]),
      ...(ignored.length === 0 ? [] : [['left out', ignored.join(', ')] as const]),
    ]),
    '',
    'Largest files',
    ...formatTable(
      [{ title: '  SIZE', align: 'right' }, { title: 'FILE' }, { title: 'TYPE' }],
      largest.map((file) => [formatBytes(file.bytes), file.path, file.type]),
    ),
    ...formatFindings(build.warnings, paint),
    '',
    'Limits of other portals',
    ...portals.map(({ name, fits, reasons }) =>
      fits
        ? `  fits  ${name}`
        : `  ${paint('yellow', 'over')}  ${name}: ${safeText(reasons.join('; '))}`,
    ),
  ];
}

function isolationText({ isolation, threads }: Build): string {
  return threads ? `${isolation} (uses threads)` : isolation;
}
