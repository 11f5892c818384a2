// `svc trace info`: describes a trace, in one pass and constant memory.
import { type TraceInfo, TraceInfoReader } from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatCount, formatDuration, formatFields, safeText } from '../../output/text.ts';
import { formatDecimalCount } from '../../trace/format-weights.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';

/** The number of skipped lines listed in the text output. */
const SKIPPED_SHOWN = 10;

export const infoCommand = defineCommand({
  name: 'info',
  summary: 'Describe a trace',
  description: `svc shows the format, the sources, the number of records, the samples with their exact total, the number of distinct stacks and frames, the duration, the graphics adapter and the build if the trace has them, whether the trace is partial or torn, and the skipped lines. The file is streamed and may have any size.`,
  arguments: [FILE_ARGUMENT],
  examples: [
    ['svc trace info game.vpt', 'as text'],
    ['perf script | stackcollapse-perf.pl | svc trace info - --json', 'as JSON, for a script'],
  ],
  document: 'trace-info',
  async run({ args: [file = ''], io, output }) {
    const info = await readTrace(file, io, new TraceInfoReader(formatByName(file)));
    output.result(info, () => formatInfo(info));
  },
});

const FORMATS: Readonly<Record<TraceInfo['format'], string>> = {
  vpt: '.vpt',
  folded: 'folded stacks',
  cpuprofile: 'V8 CPU profile',
  chrome: 'Chrome trace',
};

function formatInfo(info: TraceInfo): string[] {
  const { weight_total_before: before, skipped, skipped_count } = info;
  const shown = skipped.slice(0, SKIPPED_SHOWN);
  return [
    ...formatFields([
      ['format', FORMATS[info.format]],
      ['sources', info.sources.join(', ')],
      ['records', formatCount(info.records)],
      ['duration', info.duration_ms === null ? 'unknown' : formatDuration(info.duration_ms)],
      ...(info.gpu === undefined
        ? []
        : [
            [
              'graphics',
              `${safeText(info.gpu.name)}${info.gpu.software ? ' (in software)' : ''}`,
            ] as const,
          ]),
      ...(info.build === undefined ? [] : [['build', safeText(info.build.digest)] as const]),
      ['samples', formatCount(info.samples)],
      [
        'weight',
        `${weightText(info.weight_total, info.unit)}${before === undefined ? '' : `, before ${weightText(before, info.unit)}`}`,
      ],
      ...(info.other_weights ?? []).map(
        (other) => ['', weightText(other.weight_total, other.unit)] as const,
      ),
      ['stacks', `${formatCount(info.stacks)} distinct`],
      ['frames', `${formatCount(info.frames)} distinct`],
      ['complete', completeText(info)],
    ]),
    ...(skipped_count === 0
      ? []
      : [
          info.format === 'folded'
            ? `skipped   ${formatCount(skipped_count)} lines that are not stacks:`
            : `skipped   ${formatCount(skipped_count)} events that could not be read`,
        ]),
    ...shown.map(({ line, reason }) => `  line ${line}: ${reason}`),
    ...(info.format === 'folded' && skipped_count > shown.length
      ? [`  … and ${formatCount(skipped_count - shown.length)} more (--json lists up to 1000)`]
      : []),
  ];
}

function weightText(total: string, unit: string | null): string {
  const grouped = formatDecimalCount(total);
  return unit === null ? grouped : `${grouped} ${unit}`;
}

function completeText({ format, partial, torn_bytes }: TraceInfo): string {
  if (torn_bytes > 0) {
    const torn = `(${torn_bytes} bytes of an incomplete last line are ignored)`;
    return partial ? `no: the last line is incomplete ${torn}` : `yes ${torn}`;
  }
  if (partial && (format === 'cpuprofile' || format === 'chrome')) {
    return 'no: the file ends in the middle';
  }
  return partial
    ? 'no: the end record is missing (the session was killed, or is still running)'
    : 'yes';
}
