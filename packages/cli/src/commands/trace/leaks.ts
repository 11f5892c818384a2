// `svc trace leaks`: states what memory is never released, by asset, by repeated load and by minute.
import {
  aliveText,
  bytesText,
  growingAssetText,
  type Leaks,
  leakAnswer,
  leakNotes,
  leaksOf,
  repeatText,
  seriesText,
  stepText,
} from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { parseCount } from '../../command-line/values.ts';
import type { Documents } from '../../documents.ts';
import type { Paint } from '../../output/output.ts';
import { formatCount, formatDuration, safeLine } from '../../output/text.ts';
import { readModel } from '../../trace/read-model.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';

type Report = Documents['trace-leaks'];

const LISTED = 10;
const MOST_LISTED = 1000;

export const leaksCommand = defineCommand({
  name: 'leaks',
  summary: 'State which assets and which loads leave memory that is never released',
  description: `svc compares the memory after each occurrence of a span or mark that occurs at least twice, such as the load of a level, and lists the assets that grow. It lists the assets that have GPU memory at the end of the trace, and the growth of each memory series per minute. Assets need a recording of a browser game that records releases: svc record or the collector. Loads need spans, for example svc.span('load level', 'loading').`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '--limit <N>',
      help: `number of assets, repeated loads and occurrences to list (default: ${LISTED})`,
      parse: (text: string) => parseCount(text, MOST_LISTED),
    },
  ],
  examples: [
    ['svc trace leaks game.vpt', 'what each load leaves, and what is alive at the end'],
    ['svc trace leaks game.vpt --limit 3 --json', 'for a script'],
  ],
  document: 'trace-leaks',
  async run({ args: [file = ''], options, io, output }) {
    const leaks = leaksOf(await readModel(file, io));
    const limit = options.limit ?? LISTED;
    output.result(reportLeaks(leaks, limit), (paint) => formatLeaks(leaks, limit, paint));
  },
});

function reportLeaks(leaks: Leaks, limit: number): Report {
  const { end_ms, records_releases, releases, alive, repeats, series } = leaks;
  return {
    answer: leakAnswer(leaks),
    notes: leakNotes(leaks),
    duration_ms: end_ms,
    records_releases,
    releases,
    alive: alive && {
      count: alive.assets.length,
      gpu_bytes: alive.gpu_bytes,
      assets: alive.assets.slice(0, limit),
    },
    repeats: repeats.slice(0, limit).map((repeat) => ({
      ...repeat,
      explanation: repeatText(repeat),
      count: repeat.loads.length,
      assets: repeat.assets.slice(0, limit),
      series: [...repeat.series],
      loads: repeat.loads.slice(-limit),
    })),
    series: series.map(({ label, source, growth }) => ({
      label,
      source,
      grows: growth?.grows ?? false,
      bytes_per_minute: growth?.slope_per_minute ?? null,
    })),
  };
}

function formatLeaks(leaks: Leaks, limit: number, paint: Paint): string[] {
  const { repeats, alive, series } = leaks;
  const measured = series.filter(({ growth }) => growth !== null);
  return [
    safeLine(leakAnswer(leaks)),
    ...leakNotes(leaks),
    ...repeats.slice(0, limit).flatMap((repeat) => ['', ...formatRepeat(repeat, limit, paint)]),
    ...restText(repeats.length - limit, 'repeated load'),
    ...(alive === null || alive.assets.length === 0
      ? []
      : [
          '',
          paint(
            'bold',
            `Alive at the end: ${bytesText(alive.gpu_bytes)} of GPU memory in ${countText(alive.assets.length, 'asset')}`,
          ),
          ...alive.assets.slice(0, limit).map((asset) => `  ${safeLine(aliveText(asset))}`),
          ...restText(alive.assets.length - limit, 'smaller asset'),
        ]),
    ...(measured.length === 0
      ? []
      : ['', paint('bold', 'By time'), ...measured.map((one) => `  ${seriesText(one)}`)]),
  ];
}

function formatRepeat(repeat: Leaks['repeats'][number], limit: number, paint: Paint): string[] {
  const { loads, assets, series } = repeat;
  const first = Math.max(0, loads.length - limit);
  return [
    paint('bold', safeLine(repeatText(repeat))),
    ...assets.slice(0, limit).map((asset) => `  ${safeLine(growingAssetText(asset))}`),
    ...restText(assets.length - limit, 'asset that grows less', 'assets that grow less'),
    ...series.map((step) => `  ${stepText(step)}`),
    ...loads.slice(first).map((load, i) => `  ${formatLoad(load, first + i + 1)}`),
  ];
}

function formatLoad(
  {
    from_ms,
    gpu_bytes,
    new_assets,
    kept_assets,
    kept_bytes,
  }: Leaks['repeats'][number]['loads'][number],
  number: number,
): string {
  const at = `${number}. at ${formatDuration(from_ms)}`;
  if (gpu_bytes === null) return at;
  const kept =
    kept_assets === null
      ? ''
      : `, of which ${formatCount(kept_assets)} with ${bytesText(kept_bytes ?? 0)} outlived the next`;
  return `${at}: ${bytesText(gpu_bytes)} of GPU memory after it, ${countText(new_assets, 'new asset')}${kept}`;
}

function countText(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

function restText(count: number, one: string, several = `${one}s`): string[] {
  if (count <= 0) return [];
  const what = count === 1 ? `1 ${one} is` : `${formatCount(count)} ${several} are`;
  return [`${what} not listed. Use --limit N to list more.`];
}
