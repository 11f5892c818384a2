// The verdict on a trace in words: one sentence with the answer, and one with the measured frames or series.
import { softwareText } from '../bounds/bound-text.ts';
import type { CauseKind } from '../bounds/hitch-causes.ts';
import {
  budgetText,
  clockText,
  countText,
  msText,
  nameText,
  percentText,
  pluralText,
  weightNoun,
} from '../facts/number-text.ts';
import type { HitchGroup } from './explain-hitches.ts';
import { groupText, situationText } from './group-text.ts';
import { type MemoryTrend, memoryTrendText } from './memory-trends.ts';
import type { Overview } from './overview.ts';

/** The error that a recorder writes at time 0 if the game drew nothing. Frames of such a trace are not those of a game. */
export const DREW_NOTHING = 'The game drew nothing.';

/** `headline` is the answer. `detail` has the numbers behind it; empty if there are none. */
export type Verdict = { readonly headline: string; readonly detail: string };

/** What a trace says, in the order of what matters to its developer: errors, hitches, functions, the process. */
export function verdictOf(overview: Overview): Verdict {
  const headline = headlineOf(overview);
  const error = errorText(overview);
  const details = [
    framesText(overview),
    cpuText(overview, headline),
    overview.leak ?? '',
    headline.endsWith(error) ? '' : error,
  ];
  return { headline, detail: details.filter((one) => one !== '').join(' ') };
}

function headlineOf(overview: Overview): string {
  const { pacing, hitches, functions, cpu, memory, errors, asset_totals } = overview;
  const frames = pacing.reduce((sum, { stats }) => sum + stats.count, 0);
  const drewNothing = errors.texts.includes(DREW_NOTHING);
  if (hitches > 0 && !drewNothing) return hitchText(overview);
  if (errors.count > 0) return errorText(overview);
  if (frames > 0) {
    const budget = `the budget of ${budgetText(overview.budget_ms)}`;
    return frames === 1
      ? `Smooth: the only frame is within ${budget}.`
      : `Smooth: none of ${countText(frames)} frames is over ${budget}.`;
  }
  if (cpu !== null || memory.length > 0) return processText(overview);
  const [hottest] = functions;
  const [first] = hottest?.functions ?? [];
  if (hottest !== undefined && first !== undefined) {
    return `${nameText(first.name)} itself has ${percentText(first.share)} of all ${weightNoun(hottest.unit)}.`;
  }
  if (asset_totals.assets > 0) {
    return `The trace has ${pluralText(asset_totals.assets, 'asset')} and no frames.`;
  }
  return 'The trace has no frames, samples or assets.';
}

/** The causes that are work of the main thread. */
const MAIN_THREAD: ReadonlySet<CauseKind> = new Set([
  'asset',
  'html',
  'gc',
  'rendering',
  'function',
  'script',
  'browser',
]);

function hitchText(overview: Overview): string {
  const [group] = overview.groups;
  if (group === undefined) return '';
  const some = countedText(group, overview);
  const when = situationText(group.situation);
  if (MAIN_THREAD.has(group.kind)) {
    const verb = group.hitches === 1 ? 'is' : 'are';
    const software = group.kind === 'browser' ? softwareText(overview.bounds.gpu) : '';
    return `Main thread bound: ${some} ${verb} caused by ${groupText(group)}${when}.${software}`;
  }
  switch (group.kind) {
    case 'span': {
      const verb = group.hitches === 1 ? 'is' : 'are';
      return `${capitalized(some)} ${verb} caused by ${groupText(group)}${when}.`;
    }
    case 'gpu':
      return `GPU bound: the GPU worked for most of ${some}${when}.${softwareText(overview.bounds.gpu)}`;
    case 'waiting':
      return `Not bound by the main thread: it was idle for most of ${some}${when}.${softwareText(overview.bounds.gpu)}`;
    default:
      return `The trace does not show what caused ${some}${when}.`;
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The hitches of a group among all: `14 of 21 hitches (83 % of the time over budget)`. */
function countedText({ hitches: own, share }: HitchGroup, overview: Overview): string {
  const { hitches, explained } = overview;
  if (hitches === 1) return 'the only hitch';
  if (own === hitches) return `all ${countText(hitches)} hitches`;
  if (own === explained) return `the ${countText(own)} longest of ${countText(hitches)} hitches`;
  const all = hitches > explained ? `the ${countText(explained)} longest` : countText(hitches);
  return `${countText(own)} of ${all} hitches (${percentText(share)} of the time over budget)`;
}

function framesText({ pacing, moments }: Overview): string {
  const [main] = pacing.toSorted((a, b) => b.stats.count - a.stats.count);
  if (main === undefined || main.stats.average_fps === null) return '';
  const { count, average_fps, low_1_percent_fps } = main.stats;
  const low = low_1_percent_fps === null ? '' : `, 1 % low ${low_1_percent_fps.toFixed(0)} fps`;
  const average = `${pluralText(count, 'frame')}, ${average_fps.toFixed(0)} fps on average${low}.`;
  const [longest] = moments;
  if (longest === undefined) return average;
  return `${average} The longest took ${msText(longest.duration_ms)}, at ${clockText(longest.start_ms)}.`;
}

/** The texts of the first errors as sentences, and the number of the others. Empty without any. */
function errorText({ errors: { count, texts } }: Overview): string {
  const sentences = texts.map((text) => {
    const short = text.length > 200 ? `${text.slice(0, 199).toWellFormed()}…` : text;
    return /[.…!?]$/.test(short) ? short : `${short}.`;
  });
  const more = count - texts.length;
  if (more > 0) sentences.push(`${pluralText(more, 'more error')}.`);
  return sentences.join(' ');
}

function processText({ cpu, memory }: Overview): string {
  const growing = memory
    .filter(({ direction }) => direction === 'rising')
    .sort((a, b) => slopeOf(b) - slopeOf(a))[0];
  if (growing !== undefined) return memoryTrendText(growing);
  if (cpu !== null && cpu.stats.p95 >= FULL_CORE) {
    return `CPU use reaches a full core: ${cpu.stats.p95.toFixed(0)} % or more in 5 % of the samples.`;
  }
  const [first] = memory;
  const kept = first === undefined ? '' : ` ${memoryTrendText(first)}`;
  return cpu === null ? kept.trim() : `${averageText(cpu)}${kept}`;
}

/** From this use of one core on, in percent, a thread that does all the work has no time left. */
const FULL_CORE = 95;

function slopeOf({ slope_per_minute }: MemoryTrend): number {
  return slope_per_minute?.slope ?? 0;
}

function averageText({ stats }: NonNullable<Overview['cpu']>): string {
  return `CPU use is ${stats.mean.toFixed(0)} % of one core on average.`;
}

/** The average is left out if the headline has it. */
function cpuText({ cpu }: Overview, headline: string): string {
  if (cpu === null) return '';
  const { mean, p95, max } = cpu.stats;
  if (headline.startsWith(averageText(cpu))) {
    return `The 95th percentile of the CPU use is ${p95.toFixed(0)} %, the maximum is ${max.toFixed(0)} %.`;
  }
  return `CPU ${mean.toFixed(0)} % of one core on average, 95th percentile ${p95.toFixed(0)} %, at most ${max.toFixed(0)} %.`;
}
