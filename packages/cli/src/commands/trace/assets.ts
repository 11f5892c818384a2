// `svc trace assets`: what each asset cost the game, the most expensive first.
import {
  ASSETS_LISTED,
  type AssetReport,
  AssetReportSink,
  FoldedScanner,
  SniffingReader,
  VptReader,
} from '@svc/trace';
import { defineCommand, InvalidValueError } from '../../command-line/define-command.ts';
import {
  type Column,
  formatBytes,
  formatCount,
  formatDuration,
  formatTable,
  safeText,
} from '../../output/text.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';

/** More would make a JSON document that no program could hold as one text. */
const MOST_LISTED = 1_000_000;

export const assetsCommand = defineCommand<{ readonly limit?: number }>({
  name: 'assets',
  summary: 'Rank the assets of a trace by what they cost, hardest first',
  description: `The cost of an asset is one number in frame budgets, from the hitches it caused, its work on the main thread and beside it, and its memory; the weights stand in the JSON. A trace without asset records (folded stacks have none) gives an empty list. All assets are ranked and add up to the totals; the costliest are listed, and the number of the others is reported. A trace may be of any size: nothing but the assets is held in memory, and there is no deadline.`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '--limit <N>',
      help: `how many assets to list (default: ${ASSETS_LISTED})`,
      parse: parseLimit,
    },
  ],
  examples: [['svc trace assets game.vpt', 'which asset costs the most?']],
  async run({ args: [file = ''], options: { limit = ASSETS_LISTED }, io, output }) {
    const named = formatByName(file);
    const reader = new SniffingReader<AssetReport>((sniffed) =>
      (named ?? sniffed) === 'vpt' ? vptAssets(limit) : foldedAssets(),
    );
    const report = await readTrace(file, io, reader);
    output.result(report, () => formatReport(report));
  },
});

function parseLimit(text: string): number {
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST_LISTED) return limit;
  throw new InvalidValueError(`It is a whole number from 1 to ${MOST_LISTED}.`);
}

function vptAssets(limit: number) {
  const sink = new AssetReportSink();
  const reader = new VptReader(sink);
  return {
    push: (chunk: Uint8Array) => reader.push(chunk),
    finish(): AssetReport {
      reader.finish();
      return sink.report(limit);
    },
  };
}

/** Stacks tell of no assets, but a file that is none is still refused. */
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
      'No asset records. The browser collector writes them into the traces it records, and so does svc dashboard --pid PID --probes files.',
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
    asset.bytes === null ? '?' : formatBytes(asset.bytes),
    asset.gpu_bytes === null ? '?' : formatBytes(asset.gpu_bytes),
    ...(anyRead ? [asset.read_bytes === undefined ? '?' : formatBytes(asset.read_bytes)] : []),
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
          `${formatCount(left_out)} more of ${formatCount(totals.assets)} assets cost no more than the last one listed. --limit <N> lists more.`,
        ];
  return [
    ...formatTable(columns, rows),
    ...rest,
    ...(advice.length === 0 ? [] : ['', 'Advice', ...advice]),
  ];
}
