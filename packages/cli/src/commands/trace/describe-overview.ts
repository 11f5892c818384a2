// The overview of a trace as a document: the verdict, and the evidence in short.
import {
  groupText,
  type HitchGroup,
  type MemoryTrend,
  memoryTrendText,
  noteInfo,
  OVERVIEW_ROWS,
  type Overview,
  overviewOf,
  type Pacing,
  situationText,
  type TraceBounds,
  type TraceModel,
  traceBounds,
  verdictOf,
} from '@svc/trace';
import type { Documents } from '../../documents.ts';
import { roundedMs } from '../../trace/describe-moment.ts';
import { listMoments } from './list-moments.ts';

/** The most notes that are listed. */
const MOST_NOTES = 20;

export type OverviewDocument = Omit<Documents['trace-report'], 'page'>;

export function describeOverview(model: TraceModel, budget_ms: number): OverviewDocument {
  const bounds = traceBounds(model, budget_ms);
  const overview = overviewOf(model, { bounds });
  const { duration_ms, hitches, explained, groups, pacing, memory, leak, missing, errors } =
    overview;
  const listed = listMoments(model, budget_ms, 'duration', OVERVIEW_ROWS, bounds);
  return {
    verdict: verdictOf(overview),
    budget_ms,
    duration_ms: duration_ms === null ? null : roundedMs(duration_ms),
    ...{ frames: listed.frames, hitches, explained },
    causes: groups.map((group) => causeOf(group, bounds)),
    ...{ moments_of: listed.of, moments: listed.moments },
    notes: model.notes.slice(0, MOST_NOTES).map(noteInfo),
    notes_left_out: Math.max(0, model.notes.length - MOST_NOTES),
    pacing: pacing.map(pacingOf),
    cpu: cpuOf(overview),
    leak,
    memory: memory.map(memoryOf),
    ...costsOf(overview),
    errors,
    missing,
  };
}

function causeOf(group: HitchGroup, { hitches }: TraceBounds): OverviewDocument['causes'][number] {
  const { kind, name, situation, over_ms, share, worst } = group;
  const longest = hitches.findIndex(
    ({ source, start_ms }) => source === worst.source && start_ms === worst.start_ms,
  );
  return {
    ...{ cause: groupText(group), kind, name },
    situation: situation === null ? null : situationText(situation).trim(),
    ...{ hitches: group.hitches, over_ms: roundedMs(over_ms), share: roundedMs(share) },
    longest: `hitch:${longest + 1}`,
  };
}

function pacingOf({ source, stats, classes }: Pacing): OverviewDocument['pacing'][number] {
  const [within_budget = 0, up_to_2_budgets = 0, longer = 0] = classes;
  return {
    ...{ source, frames: stats.count },
    average_fps: rounded(stats.average_fps),
    low_1_percent_fps: rounded(stats.low_1_percent_fps),
    p95_ms: rounded(stats.p95_ms),
    max_ms: rounded(stats.max_ms),
    ...{ within_budget, up_to_2_budgets, longer },
  };
}

function cpuOf({ cpu }: Overview): OverviewDocument['cpu'] {
  if (cpu === null) return null;
  const { mean, p95, max } = cpu.stats;
  return {
    mean_percent: roundedMs(mean),
    p95_percent: roundedMs(p95),
    max_percent: roundedMs(max),
  };
}

function memoryOf(trend: MemoryTrend): OverviewDocument['memory'][number] {
  const { label, source, direction, stats, slope_per_minute } = trend;
  return {
    ...{ series: label, source, direction },
    mean_bytes: Math.round(stats.mean),
    max_bytes: stats.max,
    bytes_per_minute: slope_per_minute && Math.round(slope_per_minute.slope),
    text: memoryTrendText(trend),
  };
}

function costsOf({
  assets,
  asset_totals,
  functions,
}: Overview): Pick<OverviewDocument, 'asset_count' | 'assets' | 'functions'> {
  return {
    asset_count: asset_totals.assets,
    assets: assets.map(({ name, kind, cost, share, hitch_ms, ...sizes }) => ({
      ...{ name, kind, cost: roundedMs(cost), share: roundedMs(share) },
      ...{ hitch_ms: roundedMs(hitch_ms), main_thread_ms: rounded(sizes.main_thread_ms) },
      ...{ bytes: sizes.bytes, gpu_bytes: sizes.gpu_bytes },
    })),
    functions: functions.map((group) => ({
      ...group,
      functions: group.functions.map(({ name, category, self, share }) => ({
        ...{ name, category, self: roundedMs(self), share: roundedMs(share) },
      })),
    })),
  };
}

function rounded(value: number | null): number | null {
  return value === null ? null : roundedMs(value);
}
