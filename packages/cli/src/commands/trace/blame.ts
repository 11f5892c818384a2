// `svc trace blame`: finds the assets that made a newer recording costlier than an older one.
import {
  type AssetChange,
  type AssetReport,
  assetReportOfModel,
  compareAssets,
  type FrameStats,
  frameStats,
  type TraceModel,
} from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { parseCount } from '../../command-line/values.ts';
import type { Documents } from '../../documents.ts';
import { usageError } from '../../process/exit-codes.ts';
import { interruptible } from '../../process/interrupt.ts';
import type { Io } from '../../process/io.ts';
import { findFiles } from '../../trace/asset-contents.ts';
import { readModel } from '../../trace/read-model.ts';
import { type Builds, describeBuilds, explainUnrecorded, readBuild } from './blamed-builds.ts';
import { formatBlame } from './format-blame.ts';

const DEFAULT_LIMIT = 20;
/** Smaller changes of the cost of an asset that is in both traces, in frame budgets, are not listed. */
const NOTABLE_COST = 0.01;
/** A longer list would make a JSON document beyond the length limit of a string. */
const MOST_LISTED = 1_000_000;

const FILE_HINT = { kind: 'file', endings: ['vpt'] } as const;
const BUILD_HINT = { kind: 'file', endings: ['zip'] } as const;

export const blameCommand = defineCommand({
  name: 'blame',
  summary: 'Find the assets that made a newer recording slower than an older one',
  description: `svc joins the assets of two traces and lists the largest changes, with the largest rise of cost first: assets that are new, gone, or cost more or less than before. The cost of an asset is a number of frame budgets, as in svc trace assets. svc states whether both traces are of the same build, if they name it. With the builds, svc also reports which assets have another content, and finds assets that were renamed.

Record the same scene for the same time with both versions. Costs vary from recording to recording: if an asset has the same content, look for another cause before you blame it.`,
  arguments: [
    { name: '<OLD>', help: 'the older trace', value: FILE_HINT },
    { name: '<NEW>', help: 'the newer trace', value: FILE_HINT },
  ],
  options: [
    {
      flags: '--build-old <DIR|ZIP>',
      help: 'the build that the older trace was recorded with',
      value: BUILD_HINT,
    },
    {
      flags: '--build-new <DIR|ZIP>',
      help: 'the build that the newer trace was recorded with',
      value: BUILD_HINT,
    },
    {
      flags: '--limit <N>',
      help: `number of changes to list (default: ${DEFAULT_LIMIT})`,
      parse: (text: string) => parseCount(text, MOST_LISTED),
    },
  ],
  examples: [
    ['svc trace blame monday.vpt today.vpt', 'find what became slower'],
    [
      'svc trace blame old.vpt new.vpt --build-old old.zip --build-new dist',
      'and whether its content has changed',
    ],
  ],
  document: 'trace-blame',
  async run({ args: [oldFile = '', newFile = ''], options, io, output }) {
    const { buildOld, buildNew, limit = DEFAULT_LIMIT } = options;
    if ((buildOld === undefined) !== (buildNew === undefined)) {
      throw usageError('Name both builds, --build-old and --build-new, or none.');
    }
    if (oldFile === '-' && newFile === '-') {
      throw usageError('Only one of the two traces can be read from standard input.');
    }
    const [before, after] = [await readSide(oldFile, io), await readSide(newFile, io)];
    const builds =
      buildOld === undefined || buildNew === undefined
        ? null
        : await interruptible(io, async (signal) => ({
            before: await readBuild(buildOld, io, signal),
            after: await readBuild(buildNew, io, signal),
          }));
    const result = blame(before, after, builds, limit);
    for (const text of explainUnrecorded(result)) output.warn(text);
    output.result(result, (paint) => formatBlame(result, paint));
  },
});

type Side = {
  readonly path: string;
  readonly model: TraceModel;
  /** Of the source with the most frames. Null without frames. */
  readonly stats: FrameStats | null;
  readonly report: AssetReport;
};

async function readSide(path: string, io: Io): Promise<Side> {
  const model = await readModel(path, io);
  const [frames] = model.frames.toSorted((a, b) => b.start_ms.length - a.start_ms.length);
  const stats = frames === undefined ? null : frameStats(frames, model.losses);
  return { path, model, stats, report: assetReportOfModel(model) };
}

function blame(
  before: Side,
  after: Side,
  builds: Builds | null,
  limit: number,
): Documents['trace-blame'] {
  const files = builds && { before: findFiles(builds.before), after: findFiles(builds.after) };
  const contents = files && {
    before: (name: string) => files.before(name)?.sha256 ?? null,
    after: (name: string) => files.after(name)?.sha256 ?? null,
  };
  const changes = compareAssets(before.report.assets, after.report.assets, contents);
  const withFile = (change: AssetChange) => ({
    ...change,
    file_bytes_before:
      change.before && (files?.before(change.old_name ?? change.name)?.bytes ?? null),
    file_bytes_after: change.after && (files?.after(change.name)?.bytes ?? null),
  });
  const notable = changes.filter(isNotable);
  const shown = new Set(notable.toSorted(byAmount).slice(0, limit));
  return {
    before: describeSide(before),
    after: describeSide(after),
    builds: builds && describeBuilds(builds),
    assets: notable.filter((change) => shown.has(change)).map(withFile),
    left_out: notable.length - shown.size,
    unchanged: changes.length - notable.length,
    groups: groupChanges(changes),
  };
}

/** Whether a change is listed: the cost differs, or the asset does. */
function isNotable({ state, cost_change }: AssetChange): boolean {
  return Math.abs(cost_change) >= NOTABLE_COST || (state !== 'kept' && state !== 'same');
}

function byAmount(a: AssetChange, b: AssetChange): number {
  return Math.abs(b.cost_change) - Math.abs(a.cost_change);
}

function describeSide({ path, model, stats, report }: Side): Documents['trace-blame']['before'] {
  return {
    path,
    build_digest: model.header.build?.digest ?? null,
    duration_ms: model.duration_ms,
    frames: stats && {
      count: stats.count,
      over_budget: stats.over_budget,
      over_budget_ms: stats.over_budget_ms,
      p50_ms: stats.p50_ms,
      p99_ms: stats.p99_ms,
    },
    assets: report.totals.assets,
    cost: report.totals.cost,
    hitch_ms: report.totals.hitch_ms,
  };
}

type Group = Documents['trace-blame']['groups'][number];

/** The sums of all new assets of each kind, and of all that are gone, largest change of cost first. */
function groupChanges(changes: readonly AssetChange[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { state, kind, before, after, cost_change } of changes) {
    const side = after ?? before;
    if ((state !== 'new' && state !== 'gone') || side === null) continue;
    const key = `${state} ${kind}`;
    const sum = groups.get(key);
    groups.set(key, {
      ...{ state, kind, count: (sum?.count ?? 0) + 1 },
      cost_change: rounded((sum?.cost_change ?? 0) + cost_change),
      hitch_ms: rounded((sum?.hitch_ms ?? 0) + side.hitch_ms),
      main_thread_ms: rounded((sum?.main_thread_ms ?? 0) + (side.main_thread_ms ?? 0)),
      bytes: (sum?.bytes ?? 0) + (side.bytes ?? 0),
      gpu_bytes: (sum?.gpu_bytes ?? 0) + (side.gpu_bytes ?? 0),
    });
  }
  return [...groups.values()].sort((a, b) => Math.abs(b.cost_change) - Math.abs(a.cost_change));
}

/** Removes the error of adding decimal fractions. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
