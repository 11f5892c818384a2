// `svc trace hitches`: lists the longest frames over budget, with the functions and other work in each.
import {
  type BoundHitch,
  DEFAULT_BUDGET_MS,
  momentOf,
  type TraceBounds,
  type TraceModel,
  traceBounds,
  traceBoundText,
} from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { parseCount } from '../../command-line/values.ts';
import type { Documents } from '../../documents.ts';
import type { Paint } from '../../output/output.ts';
import { formatCount, formatDuration, safeLine, safeText } from '../../output/text.ts';
import { causeClauses, describeCauses, explainBound } from '../../trace/describe-causes.ts';
import {
  describeAssets,
  describeFunctions,
  describeSpans,
  roundedMs,
} from '../../trace/describe-moment.ts';
import { noteAbout, titleText } from '../../trace/describe-notes.ts';
import { FRAME_MS_OPTION, formatHitchCount, NO_FRAMES } from '../../trace/frame-budget.ts';
import { readModel } from '../../trace/read-model.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';

type Report = Documents['trace-hitches'];
type ListedHitch = Report['hitches'][number];

const LISTED = 10;
const MOST_LISTED = 1000;
/** The most functions, and the most other items of a kind, of one hitch. */
const FUNCTIONS = 5;
/** The widest title of a note. */
const NOTE_COLUMNS = 100;

export const hitchesCommand = defineCommand({
  name: 'hitches',
  summary: 'State what bounds the frames, and list the longest hitches with their functions',
  description: `A hitch is a frame that took more than 5 % longer than its budget. svc states what bounds the frames: script, rendering, loading, garbage collection or the GPU. For each of the longest hitches it lists the bound, the causes, the functions of the main thread with the most time of their own, then the assets, garbage collections, rendering work and spans. Functions need stacks: a Chrome trace, or a recording with --probes stacks.`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '--limit <N>',
      help: `number of hitches to list (default: ${LISTED})`,
      parse: (text: string) => parseCount(text, MOST_LISTED),
    },
    FRAME_MS_OPTION,
  ],
  examples: [
    ['svc trace hitches Trace-20260301T100000.json.gz', 'a recording of Chrome DevTools'],
    ['svc trace hitches game.vpt --limit 3 --json', 'for a script'],
  ],
  document: 'trace-hitches',
  async run({ args: [file = ''], options, io, output }) {
    const model = await readModel(file, io);
    const report = reportHitches(model, options.frameMs ?? DEFAULT_BUDGET_MS, options.limit);
    output.result(report, (paint) => formatReport(report, paint));
  },
});

function reportHitches(model: TraceModel, budget_ms: number, limit = LISTED): Report {
  const bounds = traceBounds(model, budget_ms);
  const { hitches, bound, shares, main_work, gpu } = bounds;
  return {
    budget_ms,
    frames: model.frames.reduce((sum, { start_ms }) => sum + start_ms.length, 0),
    count: hitches.length,
    answer: traceBoundText(bounds),
    bound,
    bounds: shares.map((row) => ({ ...row, share: roundedMs(row.share) })),
    main_work: main_work?.map((row) => ({ ...row, share: roundedMs(row.share) })) ?? null,
    gpu,
    hitches: hitches.slice(0, limit).map((hitch) => describe(model, hitch, gpu)),
  };
}

function describe(model: TraceModel, hitch: BoundHitch, gpu: TraceBounds['gpu']): ListedHitch {
  const { source, start_ms, duration_ms, over_ms, bound, evidence } = hitch;
  const { duration_ms: _duration, has_functions: _functions, ...parts } = hitch.parts;
  const window = { from_ms: start_ms, to_ms: start_ms + duration_ms };
  const moment = momentOf(model, window);
  return {
    source,
    t: roundedMs(start_ms),
    duration_ms: roundedMs(duration_ms),
    over_ms: roundedMs(over_ms),
    bound,
    evidence,
    explanation: explainBound(hitch, gpu),
    parts,
    note: noteAbout(moment),
    causes: describeCauses(hitch, moment),
    functions: describeFunctions(moment, FUNCTIONS),
    assets: describeAssets(moment, FUNCTIONS),
    spans: describeSpans(moment, FUNCTIONS),
  };
}

function formatReport(
  { budget_ms, frames, count, answer, hitches }: Report,
  paint: Paint,
): string[] {
  if (frames === 0) {
    return [NO_FRAMES];
  }
  const hasFunctions = hitches.some(({ functions }) => functions.length > 0);
  return [
    safeText(answer),
    formatHitchCount({ budget_ms, frames, count }),
    ...hitches.flatMap((hitch) => formatHitch(hitch, paint)),
    ...(count > hitches.length
      ? ['', `${restText(count - hitches.length)} not listed. Use --limit N to list more.`]
      : []),
    ...(hasFunctions || count === 0
      ? []
      : [
          '',
          `The trace has no functions for these hitches. ${hitches.every(({ source }) => source === 'native') ? 'svc dashboard --pid PID --probes frames,stacks records them.' : 'For a browser game, svc record and a performance trace of Chrome DevTools have them.'}`,
        ]),
  ];
}

function restText(count: number): string {
  return count === 1 ? '1 shorter hitch is' : `${formatCount(count)} shorter hitches are`;
}

function formatHitch(
  { t, duration_ms, explanation, note, causes, functions, assets, spans }: ListedHitch,
  paint: Paint,
): string[] {
  const clauses = causeClauses(causes, duration_ms);
  const title = clauses.length === 1 ? 'Cause' : 'Causes';
  const isExact = functions.every(({ exact }) => exact);
  return [
    '',
    paint('bold', `${duration_ms} ms at ${formatDuration(t)}`),
    `  ${safeText(explanation)}`,
    ...(note === null ? [] : [`  Note: ${safeLine(titleText(note, NOTE_COLUMNS))}`]),
    ...(clauses.length === 0 ? [] : [`  ${title}: ${safeText(clauses.join(', '))}.`]),
    ...(isExact ? [] : ['  functions of the whole seconds around it']),
    ...functions.map(
      ({ name, unit, self, total }) =>
        `  ${safeText(name)}  ${self} ${unit} itself, ${total} ${unit} with what it called`,
    ),
    ...assets.map(
      ({ name, phase, within_ms }) => `  ${phase} of ${safeText(name)}  ${within_ms} ms`,
    ),
    ...spans.map(
      ({ name, track, within_ms }) =>
        `  ${safeText(track === null ? name : `${track}: ${name}`)}  ${within_ms} ms`,
    ),
  ];
}
