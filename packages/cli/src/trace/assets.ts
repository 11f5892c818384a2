// `svc trace assets`: what each asset cost the game, the most expensive first.
import {
  type AssetReport,
  AssetReportSink,
  FoldedScanner,
  SniffingReader,
  VptReader,
} from '@svc/trace';
import { defineCommand } from '../command.ts';
import { type Column, formatBytes, formatDuration, formatTable, safeText } from '../output/text.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from './read-trace.ts';

export const assetsCommand = defineCommand<object>({
  name: 'assets',
  summary: 'Rank the assets of a trace by what they cost, hardest first',
  description: `The cost of an asset is one number in frame budgets, from the hitches it caused, its work on the main thread and beside it, and its memory; the weights stand in the JSON. A trace without asset records (folded stacks have none) gives an empty list.`,
  arguments: [FILE_ARGUMENT],
  examples: [['svc trace assets game.vpt', 'which asset costs the most?']],
  async run({ args: [file = ''], io, output }) {
    const named = formatByName(file);
    const reader = new SniffingReader<AssetReport>((sniffed) =>
      (named ?? sniffed) === 'vpt' ? vptAssets() : foldedAssets(),
    );
    const report = await readTrace(file, io, reader);
    output.result(report, () => formatReport(report));
  },
});

function vptAssets() {
  const sink = new AssetReportSink();
  const reader = new VptReader(sink);
  return {
    push: (chunk: Uint8Array) => reader.push(chunk),
    finish(): AssetReport {
      reader.finish();
      return sink.report();
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

function formatReport({ assets }: AssetReport): string[] {
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
  return [...formatTable(columns, rows), ...(advice.length === 0 ? [] : ['', 'Advice', ...advice])];
}
