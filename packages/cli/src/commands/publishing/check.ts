// `svc check`: checks a build offline by the rules of the platform, lists all findings with hints, and starts it on request.
import { resolve } from 'node:path';
import type { Build } from '@svc/game-build';
import { bytesText } from '@svc/trace/number-text';
import {
  type Call,
  defineCommand,
  type OptionSpec,
  type OptionValues,
} from '../../command-line/define-command.ts';
import { parseSeconds } from '../../command-line/parse-seconds.ts';
import type { Documents } from '../../documents.ts';
import { formatFindings } from '../../output/format-findings.ts';
import type { Paint } from '../../output/output.ts';
import { formatTable } from '../../output/table.ts';
import { formatCount, formatFields, safeText } from '../../output/text.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { usageError } from '../../process/exit-codes.ts';
import { interruptible } from '../../process/interrupt.ts';
import {
  type BuildRequest,
  type PreparedBuild,
  prepareBuild,
} from '../../project/prepare-build.ts';
import { readProjectFile } from '../../project/project-file.ts';
import { readInputScript } from '../../start-test/read-input-script.ts';
import { checkOutput } from '../../trace/check-output.ts';
import { openBaseline } from './open-baseline.ts';
import { comparePortals, type PortalVerdict } from './portal-limits.ts';
import { formatRun, passes, type RunDocument, runBuild, runFailure } from './run-build.ts';

/** How many of the largest files are shown. */
const LARGEST = 5;

const DEFAULT_SECONDS = 10;

const OPTIONS = [
  { flags: '--allow-secrets', help: 'allow keys and .env files, which every player can read' },
  {
    flags: '--run',
    help: 'start the game in an installed browser, and check the budgets in svc.json',
  },
  {
    flags: '--seconds <N>',
    help: `with --run: how long the game is recorded after its first frame (default: until the end of --input, otherwise ${DEFAULT_SECONDS})`,
    parse: parseSeconds,
  },
  {
    flags: '--against <VERSION|DIR|ZIP>',
    help: 'with --run: start this version or build first, for the budgets that are ratios',
  },
  {
    flags: '--input <FILE>',
    help: 'with --run: play this script, see svc record --record-input',
    value: { kind: 'file', endings: ['input'] },
  },
  {
    flags: '-o, --output <FILE>',
    help: 'with --run: keep the trace',
    value: { kind: 'file', endings: ['vpt'] },
  },
  {
    flags: '--browser <PATH>',
    help: 'with --run: the program of Chrome, Chromium or Edge (default: the installed one)',
    value: { kind: 'file' },
  },
  API_OPTION,
] as const satisfies readonly OptionSpec[];

type CheckCall = Call<OptionValues<typeof OPTIONS>, 'check'>;

export const checkCommand = defineCommand({
  name: 'check',
  summary: 'Check a build by the rules of the platform, and that the game starts',
  description: `svc reads the build as the platform does and lists all findings: files that are not safe, references that will not work for players (missing files, names in the wrong case, absolute addresses), files that should not be public (keys, source maps), and sizes beyond the limits of this and other platforms. No data is sent.

With --run, svc also starts the game in an installed browser without a window. The game does not start if it requests a missing file, does not catch an error before its first frame, draws nothing within 15 s, or if the browser blocks what it needs. Then svc records the game and checks the budgets in svc.json. With --against, another build is recorded before it on the same machine, for the budgets that are ratios. A version is downloaded from the platform. With --input, a player’s keys, pointer and gamepad are played.

The exit code is 0 if the platform would accept the build, 7 if it would not or if a budget is not met, 8 if the build is too large, and 9 if the game does not start.`,
  arguments: [
    {
      name: '[DIR|ZIP]',
      help: 'the build (default: the one in svc.json)',
      value: { kind: 'file', endings: ['zip'] },
    },
  ],
  options: OPTIONS,
  examples: [
    ['svc check dist', 'before a publish, offline'],
    ['svc check --run --json', 'in CI: the game starts, and keeps its budgets'],
    ['svc check --run --against 1.4.0', 'no slower than a published version'],
  ],
  document: 'check',
  async run(call) {
    const { args, options, io, output } = call;
    requireRunOption(options);
    await interruptible(io, async (signal) => {
      const project = readProjectFile(io.cwd);
      const request = {
        ...{ cwd: io.cwd, project, limits: {}, signal },
        allowSecrets: options.allowSecrets === true,
      };
      using prepared = await prepareBuild({ ...request, named: args[0] });
      const portals = comparePortals(prepared.build);
      const run = options.run === true ? await startBuild(call, prepared, request) : null;
      const document = { ...toDocument(prepared, portals), run };
      if (run !== null && !passes(run)) {
        for (const line of formatRun(run, output.paint)) output.line(line);
        throw runFailure(run, document);
      }
      output.result(document, (paint) => [
        ...formatCheck(prepared, portals, paint),
        ...(run === null ? [] : formatRun(run, paint)),
      ]);
    });
  },
});

/** Throws a usage error if an option of --run is given without it. */
function requireRunOption(options: CheckCall['options']): void {
  if (options.run === true) return;
  const given = (['seconds', 'against', 'input', 'output', 'browser'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (given !== undefined) throw usageError(`The option --${given} needs --run.`);
}

/** Starts the build, and before it the one of --against. */
async function startBuild(
  call: CheckCall,
  prepared: PreparedBuild,
  request: Omit<BuildRequest, 'named'>,
): Promise<RunDocument> {
  const { io, options } = call;
  const { project, signal } = request;
  if (options.output !== undefined) checkOutput(resolve(io.cwd, options.output), options.output);
  const input = options.input === undefined ? null : await readInputScript(options.input, io);
  const scripted = input?.end_ms == null ? DEFAULT_SECONDS : input.end_ms / 1000;
  using baseline =
    options.against === undefined ? null : await openBaseline(call, options.against, request);
  return await runBuild(call, prepared, baseline, {
    seconds: options.seconds ?? scripted,
    input,
    browser: options.browser,
    trace: options.output === undefined ? undefined : resolve(io.cwd, options.output),
    budgets: project?.budgets ?? {},
    signal,
  });
}

function toDocument(
  { shownPath, build, ignored }: PreparedBuild,
  portals: PortalVerdict[],
): Omit<Documents['check'], 'run'> {
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
        `${formatCount(build.file_count)}, ${bytesText(build.expanded_bytes)} (ZIP ${bytesText(build.zip_bytes)})`,
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
      largest.map((file) => [bytesText(file.bytes), file.path, file.type]),
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
