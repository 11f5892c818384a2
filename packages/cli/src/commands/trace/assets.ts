// `svc trace assets`: ranks the assets of a trace by their cost.
import {
  ASSETS_LISTED,
  type AssetReport,
  AssetReportSink,
  bytesText,
  FoldedScanner,
  ProfileReader,
  SniffingReader,
  type TraceFormat,
  VptReader,
} from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { parseCount } from '../../command-line/values.ts';
import { type Column, formatTable } from '../../output/table.ts';
import { formatCount, formatDuration, safeText } from '../../output/text.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';

/** A longer list would make a JSON document beyond the length limit of a string. */
const MOST_LISTED = 1_000_000;

export const assetsCommand = defineCommand({
  name: 'assets',
  summary: 'Rank the assets of a trace by cost, most expensive first',
  description: `The cost of an asset is a number of frame budgets, computed from the hitches it caused, its work on the main thread and on other threads, and its memory. The JSON output contains the weights. A trace without asset records gives an empty list; folded stacks and CPU profiles never have any. All assets are ranked and count in the totals. The most expensive ones are listed, and the number of the others is reported. A trace may have any size, because only the assets are kept in memory. There is no time limit.`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '--limit <N>',
      help: `number of assets to list (default: ${ASSETS_LISTED})`,
      parse: (text: string) => parseCount(text, MOST_LISTED),
    },
  ],
  examples: [['svc trace assets game.vpt', 'find the most expensive asset']],
  document: 'trace-assets',
  async run({ args: [file = ''], options: { limit = ASSETS_LISTED }, io, output }) {
    const named = formatByName(file);
    const reader = new SniffingReader<AssetReport>((sniffed) => {
      const format = named ?? sniffed;
      return format === 'folded' ? foldedAssets() : traceAssets(format, limit);
    });
    const report = await readTrace(file, io, reader);
    output.result(report, () => formatReport(report));
  },
});

function traceAssets(format: Exclude<TraceFormat, 'folded'>, limit: number) {
  const sink = new AssetReportSink();
  const reader = format === 'vpt' ? new VptReader(sink) : new ProfileReader(format, sink);
  return {
    push: (chunk: Uint8Array) => reader.push(chunk),
    finish(): AssetReport {
      reader.finish();
      return sink.report(limit);
    },
  };
}

/** Folded stacks have no assets, but a file in another format is still rejected. */
function foldedAssets() {
  const scanner = new FoldedScanner({ stack() {} });
  return {
    push: (chunk: Uint8Array) => scanner.push(chunk),
    finish(): AssetReport {
      scanner.finish();
      return new AssetReportSink().report();
    },
  };
}

function formatReport({ assets, left_out, totals }: AssetReport): string[] {
  if (assets.length === 0) {
    return [
      'The trace has no asset records. The browser collector and svc dashboard --pid PID --probes files record them.',
    ];
  }
  const anyRead = assets.some(({ read_bytes }) => read_bytes !== undefined);
  const columns: readonly Column[] = [
    { title: 'COST', align: 'right' },
    { title: 'SHARE', align: 'right' },
    { title: 'HITCH', align: 'right' },
    { title: 'MAIN', align: 'right' },
    { title: 'SIZE', align: 'right' },
    { title: 'GPU', align: 'right' },
    ...(anyRead ? [{ title: 'READ', align: 'right' } as const] : []),
    { title: 'KIND' },
    { title: 'ASSET', max: 60 },
  ];
  const rows = assets.map((asset) => [
    asset.cost.toFixed(2),
    `${(asset.share * 100).toFixed(1)} %`,
    formatDuration(asset.hitch_ms),
    asset.main_thread_ms === null ? '?' : formatDuration(asset.main_thread_ms),
    asset.bytes === null ? '?' : bytesText(asset.bytes),
    asset.gpu_bytes === null ? '?' : bytesText(asset.gpu_bytes),
    ...(anyRead ? [asset.read_bytes === undefined ? '?' : bytesText(asset.read_bytes)] : []),
    asset.kind,
    asset.name,
  ]);
  const advice = assets.flatMap(({ name, advice: items }) =>
    items.map(({ text }) => `  ${safeText(name)}: ${safeText(text)}`),
  );
  const rest =
    left_out === 0
      ? []
      : [
          '',
          `${formatCount(left_out)} of ${formatCount(totals.assets)} assets are not listed. Use --limit N to list more.`,
        ];
  return [
    ...formatTable(columns, rows),
    ...rest,
    ...(advice.length === 0 ? [] : ['', 'Advice', ...advice]),
  ];
}
