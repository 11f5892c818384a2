// The offline analysis: applies every rule. The same trace always gives the same findings.
import type { TraceModel } from '../model/trace-model.ts';
import { type AnalysisContext, analysisContext } from './findings/context.ts';
import type { Finding, Rule, Severity } from './findings/finding.ts';
import { assetHitches } from './rules/asset-hitches.ts';
import { coreSpells } from './rules/core-spells.ts';
import { cpuRhythm } from './rules/cpu-rhythm.ts';
import { cpuSaturation } from './rules/cpu-saturation.ts';
import { duplicateAssets } from './rules/duplicate-assets.ts';
import { framesOverBudget } from './rules/frames-over-budget.ts';
import { heapSawtooth } from './rules/heap-sawtooth.ts';
import { hitchBursts } from './rules/hitch-bursts.ts';
import { hitchesAfterLoads } from './rules/hitches-after-loads.ts';
import { hotFunction } from './rules/hot-function.ts';
import { kernelTime } from './rules/kernel-time.ts';
import { lateLoads } from './rules/late-loads.ts';
import { longTasks } from './rules/long-tasks.ts';
import { losses } from './rules/losses.ts';
import { mainThreadDecode } from './rules/main-thread-decode.ts';
import { mainThreadReads } from './rules/main-thread-reads.ts';
import { memoryGrowth } from './rules/memory-growth.ts';
import { memorySteps } from './rules/memory-steps.ts';
import { memorySwings } from './rules/memory-swings.ts';
import { missingMips } from './rules/missing-mips.ts';
import { pageFaultStorm } from './rules/page-fault-storm.ts';
import { periodicHitches } from './rules/periodic-hitches.ts';
import { pssCost } from './rules/pss-cost.ts';
import { readStorm } from './rules/read-storm.ts';
import { shortTrace } from './rules/short-trace.ts';
import { singleThreadLimit } from './rules/single-thread-limit.ts';
import { textureMemory } from './rules/texture-memory.ts';

/** All rules, causes before symptoms. Of two findings with the same impact, the one of the earlier rule comes first. */
export const RULES: Readonly<Record<string, Rule>> = {
  asset_hitches: assetHitches,
  main_thread_decode: mainThreadDecode,
  main_thread_reads: mainThreadReads,
  page_fault_storm: pageFaultStorm,
  read_storm: readStorm,
  late_loads: lateLoads,
  hitches_after_loads: hitchesAfterLoads,
  periodic_hitches: periodicHitches,
  heap_sawtooth: heapSawtooth,
  long_tasks: longTasks,
  memory_steps: memorySteps,
  memory_growth: memoryGrowth,
  memory_swings: memorySwings,
  single_thread_limit: singleThreadLimit,
  cpu_saturation: cpuSaturation,
  core_spells: coreSpells,
  cpu_rhythm: cpuRhythm,
  hot_function: hotFunction,
  kernel_time: kernelTime,
  texture_memory: textureMemory,
  duplicate_assets: duplicateAssets,
  missing_mips: missingMips,
  frames_over_budget: framesOverBudget,
  hitch_bursts: hitchBursts,
  losses,
  pss_cost: pssCost,
  short_trace: shortTrace,
};

/** Findings that only describe what others explain. They come after the causes of the same severity. */
const SYMPTOMS = new Set(['frames_over_budget', 'hitch_bursts']);
const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** Findings, worst first. `budget_ms` is the frame budget, by default one frame at 60 Hz. */
export function analyzeTrace(
  model: TraceModel,
  options: { readonly budget_ms?: number } = {},
): Finding[] {
  return findingsOf(analysisContext(model, options.budget_ms));
}

/** The same as {@link analyzeTrace} for an existing context. */
export function findingsOf(context: AnalysisContext): Finding[] {
  return Object.values(RULES)
    .flatMap((rule) => rule(context) ?? [])
    .map((result, order) => ({ ...result, order, symptom: SYMPTOMS.has(result.id) ? 1 : 0 }))
    .sort(
      (a, b) =>
        RANK[a.severity] - RANK[b.severity] ||
        a.symptom - b.symptom ||
        b.impact - a.impact ||
        a.order - b.order,
    )
    .map(({ id, severity, title, detail, evidence }) => ({
      id,
      severity,
      title,
      detail,
      evidence,
    }));
}
