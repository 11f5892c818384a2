// `svc trace top`: lists the functions with the most weight, in the whole trace or in a part of it.
import {
  DEFAULT_BUDGET_MS,
  type FoundMoment,
  FUNCTION_ORDERS,
  functionTables,
  nameText,
  type TraceModel,
} from '@svc/trace';
import { defineCommand, InvalidValueError } from '../../command-line/define-command.ts';
import { parseCount } from '../../command-line/values.ts';
import type { Documents } from '../../documents.ts';
import type { Block } from '../../output/blocks.ts';
import { MARKDOWN_OPTION, reportWriter } from '../../output/print-blocks.ts';
import type { Column } from '../../output/table.ts';
import { formatCount } from '../../output/text.ts';
import { formatDecimalCount, formatShare } from '../../trace/format-weights.ts';
import { FRAME_MS_OPTION } from '../../trace/frame-budget.ts';
import { findPlace, momentText, PLACE_HELP, parsePlace } from '../../trace/moment-place.ts';
import { readModel } from '../../trace/read-model.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';
import { placeOf } from './place-document.ts';

type Report = Documents['trace-top'];
type Part = Report['stacks'][number];

const LISTED = 20;
/** A longer list would make a JSON document beyond the length limit of a string. */
const MOST_LISTED = 1_000_000;

export const topCommand = defineCommand({
  name: 'top',
  summary: 'List the functions that take the most time, in the whole trace or in one moment',
  description: `SELF is the weight of the samples that end in the function, TOTAL that of the samples with the function anywhere in their stack. Weights are milliseconds, samples or counts, as the trace has them, and exact. Each source and unit has its own list. All threads count.

--within takes ${PLACE_HELP}.`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '--by <ORDER>',
      help: 'self (default) or total',
      choices: FUNCTION_ORDERS,
      value: { kind: 'words', words: FUNCTION_ORDERS },
    },
    {
      flags: '--within <PART>',
      help: 'only the samples of this part of the trace',
      parse: parsePlace,
    },
    {
      flags: '--search <REGEX>',
      help: 'only functions whose name matches, in upper or lower case',
      parse: parsePattern,
    },
    {
      flags: '--limit <N>',
      help: `number of functions to list (default: ${LISTED})`,
      parse: (text: string) => parseCount(text, MOST_LISTED),
    },
    FRAME_MS_OPTION,
    MARKDOWN_OPTION,
  ],
  examples: [
    ['svc trace top game.vpt', 'the hottest functions'],
    ['svc trace top game.vpt --within hitch:1', 'those of the longest hitch'],
    ['svc trace top game.vpt --within 31-31.5 --by total', 'those of half a second'],
    ["svc trace top perf.folded --search 'physics|collide'", 'the functions of a part of the game'],
  ],
  document: 'trace-top',
  async run({ args: [file = ''], options, io, output }) {
    const { by = 'self', within, search, limit = LISTED, frameMs, markdown } = options;
    const write = reportWriter(io, output, markdown);
    const model = await readModel(file, io);
    const place =
      within === undefined ? null : findPlace(model, within, frameMs ?? DEFAULT_BUDGET_MS, file);
    const matches = search && ((name: string) => search.test(name));
    const report: Report = {
      by,
      within: place && placeOf(place),
      stacks: functionTables(model.stacks, place, { by, limit, ...(matches && { matches }) }),
    };
    output.result(report, (paint) => write(blocksOf(report, model, place), paint));
  },
});

function parsePattern(text: string): RegExp {
  try {
    return new RegExp(text, 'iu');
  } catch {
    throw new InvalidValueError('Write a regular expression, such as physics|collide.');
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'SELF %', align: 'right' },
  { title: 'SELF', align: 'right' },
  { title: 'TOTAL %', align: 'right' },
  { title: 'TOTAL', align: 'right' },
  { title: 'FUNCTION', max: 1000 },
];

function blocksOf(report: Report, model: TraceModel, place: FoundMoment | null): Block[] {
  if (model.stacks.length === 0) {
    return [
      {
        kind: 'text',
        lines: [
          'The trace has no functions. Record them with svc record, with a performance trace of Chrome DevTools, or with svc dashboard --pid PID --probes stacks.',
        ],
      },
    ];
  }
  if (report.stacks.length === 0) {
    return [{ kind: 'text', lines: [`No function was sampled in ${partText(place)}.`] }];
  }
  return report.stacks.flatMap((part) => partBlocks(part, place));
}

function partText(place: FoundMoment | null): string {
  return place === null ? 'the trace' : momentText(place);
}

function partBlocks(part: Part, place: FoundMoment | null): Block[] {
  const { source, unit, samples, weight_total, exact, matched_share, functions, left_out } = part;
  const weight = `${formatDecimalCount(weight_total)} ${unit}`;
  const count = `${formatCount(samples)} ${samples === 1 ? 'sample' : 'samples'}`;
  const lines = [
    `${source}: ${unit === 'samples' ? count : `${count}, ${weight}`}${place === null ? '' : ` in ${momentText(place)}`}.`,
    ...(exact
      ? []
      : [
          'The samples have no times of their own: these are those of the whole seconds around it.',
        ]),
    ...(matched_share === null
      ? []
      : [
          `${formatShare(matched_share)} of the weight is in the functions that match, or in what they call.`,
        ]),
    ...(functions.length === 0 ? ['No function matches.'] : []),
  ];
  const rows = functions.map(({ name, category, self, self_share, total, total_share }) => ({
    cells: [
      formatShare(self_share),
      formatDecimalCount(self),
      formatShare(total_share),
      formatDecimalCount(total),
      functionName(name, category),
    ],
  }));
  return [
    { kind: 'text', lines },
    { kind: 'table', columns: COLUMNS, rows },
    ...(left_out === 0
      ? []
      : [
          {
            kind: 'note' as const,
            lines: [
              `${formatCount(left_out)} more ${left_out === 1 ? 'function is' : 'functions are'} not listed. Use --limit N to list more.`,
            ],
          },
        ]),
  ];
}

/** Categories that tell two functions with one name apart. */
const SHOWN_CATEGORIES: readonly string[] = ['kernel', 'jit', 'inlined', 'waker', 'wasm'];

function functionName(name: string, category: string): string {
  const shown = nameText(name);
  return SHOWN_CATEGORIES.includes(category) ? `${shown} [${category}]` : shown;
}
