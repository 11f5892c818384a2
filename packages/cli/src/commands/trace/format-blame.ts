// Formats the comparison of two traces for a terminal: the answer first, then the changes.
import { bytesText, compareBuilds, shortDigests } from '@svc/trace';
import type { Documents } from '../../documents.ts';
import type { Paint } from '../../output/output.ts';
import { signed } from '../../output/signed.ts';
import { type Column, formatTable } from '../../output/table.ts';
import { formatCount, formatDuration, safeLine, safeText } from '../../output/text.ts';

type Blame = Documents['trace-blame'];
type Change = Blame['assets'][number];
type Side = Blame['before'];

/** Recordings whose durations differ by more than this factor are not comparable without care. */
const COMPARABLE = 1.2;
/** A smaller change of cost, in frame budgets, is not shown as a rise or fall of the whole. */
const NOTABLE_COST = 0.05;

const STATES: Readonly<Record<Change['state'], string>> = {
  new: 'new',
  gone: 'gone',
  changed: 'changed',
  same: 'same content',
  kept: '',
};

const COLUMNS: readonly Column[] = [
  { title: 'COST', align: 'right' },
  { title: 'HITCH', align: 'right' },
  { title: 'MAIN', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'GPU', align: 'right' },
  { title: 'FILE', align: 'right' },
  { title: 'KIND' },
  { title: 'CHANGE' },
  { title: 'ASSET', max: 60 },
];

export function formatBlame(blame: Blame, paint: Paint): string[] {
  const { before, after, assets, left_out, groups, builds } = blame;
  if (before.assets === 0 && after.assets === 0) {
    return [
      'Neither trace has asset records. The browser collector records them.',
      ...formatRecordedBuilds(before, after),
    ];
  }
  const hasFiles = builds !== null;
  const columns = COLUMNS.filter(({ title }) => hasFiles || title !== 'FILE');
  const rows = assets.map((change) =>
    cellsOf(change).filter((_, at) => hasFiles || COLUMNS[at]?.title !== 'FILE'),
  );
  return [
    ...formatVerdict(blame, paint),
    ...formatFrames(before, after),
    ...formatRecordedBuilds(before, after),
    ...(builds === null ? [] : [formatBuilds(builds)]),
    ...formatDurations(before, after),
    ...(rows.length === 0 ? [] : ['', ...formatTable(columns, rows)]),
    ...formatRest(left_out, blame.unchanged),
    ...(groups.length === 0 ? [] : ['', ...groups.map(formatGroup)]),
  ];
}

/** One sentence: how the cost of all assets has changed, and the asset that contributed most. */
function formatVerdict({ before, after, assets }: Blame, paint: Paint): string[] {
  const change = after.cost - before.cost;
  const costs = `${before.cost.toFixed(2)} frame budgets before, ${after.cost.toFixed(2)} after`;
  const [first] = assets;
  if (first === undefined || first.cost_change < NOTABLE_COST) {
    const what = change < -NOTABLE_COST ? 'cost less than before' : 'cost as much as before';
    return [`${paint('green', `The assets ${what}`)} (${costs}).`];
  }
  const rise = `${safeText(first.name)} rose most, by ${first.cost_change.toFixed(2)}${detailOf(first)}`;
  const verdict =
    change > NOTABLE_COST
      ? paint('red', `The assets cost ${change.toFixed(2)} more`)
      : 'The assets together do not cost more, but some do';
  return [`${verdict} (${costs}).`, `${rise}.`];
}

/** The largest differences in words: `: +92 ms of hitches, +4.1 MiB`. */
function detailOf({ before, after }: Change): string {
  const of = (key: 'hitch_ms' | 'bytes' | 'gpu_bytes'): number =>
    (after?.[key] ?? 0) - (before?.[key] ?? 0);
  const parts = [
    of('hitch_ms') >= 1 ? `${signed(of('hitch_ms'), formatDuration)} of hitches` : '',
    of('bytes') > 0 ? signed(of('bytes'), bytesText) : '',
    of('gpu_bytes') > 0 ? `${signed(of('gpu_bytes'), bytesText)} on the GPU` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

function formatFrames({ frames: was }: Side, { frames: is }: Side): string[] {
  if (was === null || is === null || was.count === 0 || is.count === 0) return [];
  const share = ({ over_budget, count }: NonNullable<Side['frames']>): string =>
    `${((over_budget / count) * 100).toFixed(1)} %`;
  const ms = (value: number | null): string => (value === null ? '?' : `${value.toFixed(1)} ms`);
  return [
    `Frames over budget: ${share(was)} before, ${share(is)} after. Frame time p99: ${ms(was.p99_ms)} before, ${ms(is.p99_ms)} after.`,
  ];
}

/** Whether both traces are of the same build. Nothing if neither names its build. */
function formatRecordedBuilds({ build_digest: was }: Side, { build_digest: is }: Side): string[] {
  if (was === null && is === null) return [];
  if (was === null || is === null) {
    return [`The ${was === null ? 'older' : 'newer'} trace does not name its build.`];
  }
  const [before, after] = shortDigests(was, is).map(safeLine);
  return [
    compareBuilds(was, is) === 'same'
      ? `Both traces are of the same build (${before}).`
      : `The traces are of different builds (${before} before, ${after} after).`,
  ];
}

function formatBuilds(builds: NonNullable<Blame['builds']>): string {
  const { bytes_before, bytes_after } = builds;
  const files = `${formatCount(builds.new)} new, ${formatCount(builds.changed)} changed, ${formatCount(builds.gone)} gone`;
  return `Files: ${files}. Size of the build: ${bytesText(bytes_before)} before, ${bytesText(bytes_after)} after.`;
}

function formatDurations({ duration_ms: was }: Side, { duration_ms: is }: Side): string[] {
  if (was === null || is === null) return [];
  if (Math.max(was, is) <= Math.min(was, is) * COMPARABLE) return [];
  return [
    `The recordings last ${formatDuration(was)} and ${formatDuration(is)}. Record the same time with both: some costs grow with it.`,
  ];
}

function cellsOf({
  before,
  after,
  cost_change,
  file_bytes_before,
  file_bytes_after,
  kind,
  state,
  name,
  old_name,
}: Change): string[] {
  const difference = (
    was: number | null | undefined,
    is: number | null | undefined,
    format: (value: number) => string,
  ): string => {
    const unknown = (was ?? null) === null && (is ?? null) === null;
    return unknown ? '' : signed((is ?? 0) - (was ?? 0), format);
  };
  return [
    signed(cost_change, (value) => value.toFixed(2)),
    difference(before?.hitch_ms, after?.hitch_ms, formatDuration),
    difference(before?.main_thread_ms, after?.main_thread_ms, formatDuration),
    difference(before?.bytes, after?.bytes, bytesText),
    difference(before?.gpu_bytes, after?.gpu_bytes, bytesText),
    difference(file_bytes_before, file_bytes_after, bytesText),
    kind,
    STATES[state],
    old_name === null ? name : `${name} (was ${old_name})`,
  ];
}

const KINDS: Readonly<Record<Change['kind'], readonly [one: string, several: string]>> = {
  texture: ['texture', 'textures'],
  mesh: ['mesh', 'meshes'],
  audio: ['sound', 'sounds'],
  shader: ['shader', 'shaders'],
  script: ['script', 'scripts'],
  data: ['data file', 'data files'],
  video: ['video', 'videos'],
  font: ['font', 'fonts'],
  other: ['other asset', 'other assets'],
};

/** For example `3 new shaders: cost +1.26, 41 ms on the main thread`. */
function formatGroup(group: Blame['groups'][number]): string {
  const { state, kind, count, main_thread_ms, hitch_ms, bytes, gpu_bytes } = group;
  const facts = [
    main_thread_ms >= 0.5 ? `${formatDuration(main_thread_ms)} on the main thread` : '',
    hitch_ms >= 0.5 ? `${formatDuration(hitch_ms)} of hitches` : '',
    bytes > 0 ? bytesText(bytes) : '',
    gpu_bytes > 0 ? `${bytesText(gpu_bytes)} on the GPU` : '',
  ].filter((fact) => fact !== '');
  const [one, several] = KINDS[kind];
  const cost = `cost ${signed(group.cost_change, (value) => value.toFixed(2))}`;
  return `${formatCount(count)} ${state} ${count === 1 ? one : several}: ${[cost, ...facts].join(', ')}`;
}

/** What the table does not show. */
function formatRest(leftOut: number, unchanged: number): string[] {
  const lines = [
    ...(leftOut === 0
      ? []
      : [`${formatCount(leftOut)} smaller changes are not listed. Use --limit N to list more.`]),
    ...(unchanged === 0
      ? []
      : [
          `${unchanged === 1 ? '1 asset costs' : `${formatCount(unchanged)} assets cost`} as much as before.`,
        ]),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}
