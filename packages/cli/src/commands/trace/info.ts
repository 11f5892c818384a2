// `svc trace info`: what a trace holds, in one pass and flat memory.
import { type TraceInfo, TraceInfoReader } from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatCount, formatDuration, formatFields } from '../../output/text.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';

/** How many skipped lines are listed for a person. */
const SKIPPED_SHOWN = 10;

export const infoCommand = defineCommand<object>({
  name: 'info',
  summary: 'Tell what a trace holds',
  description: `Format, sources, records, samples with their exact total, distinct stacks and frames, duration; whether it is partial or torn; lines that were skipped. The file is streamed: its size does not matter.`,
  arguments: [FILE_ARGUMENT],
  examples: [
    ['svc trace info game.vpt', 'for reading'],
    ['perf script | stackcollapse-perf.pl | svc trace info - --json', 'for a script'],
  ],
  async run({ args: [file = ''], io, output }) {
    const info = await readTrace(file, io, new TraceInfoReader(formatByName(file)));
    output.result(info, () => formatInfo(info));
  },
});

function formatInfo(info: TraceInfo): string[] {
  const { weight_total_before: before, skipped, skipped_count } = info;
  const shown = skipped.slice(0, SKIPPED_SHOWN);
  return [
    ...formatFields([
      ['format', info.format === 'vpt' ? '.vpt' : 'folded stacks'],
      ['sources', info.sources.join(', ')],
      ['records', formatCount(info.records)],
      ['duration', info.duration_ms === null ? 'not told' : formatDuration(info.duration_ms)],
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
      : [`skipped   ${formatCount(skipped_count)} lines that are no stacks:`]),
    ...shown.map(({ line, reason }) => `  line ${line}: ${reason}`),
    ...(skipped_count > shown.length
      ? [`  … and ${formatCount(skipped_count - shown.length)} more (--json lists a thousand)`]
      : []),
  ];
}

function weightText(total: string, unit: string | null): string {
  const [whole = '', fraction] = total.split('.');
  const grouped = formatCount(whole) + (fraction === undefined ? '' : `.${fraction}`);
  return unit === null ? grouped : `${grouped} ${unit}`;
}

function completeText({ partial, torn_bytes }: TraceInfo): string {
  if (torn_bytes > 0) {
    const torn = `(${torn_bytes} torn bytes at the end are left out)`;
    return partial ? `no: its last line was not written whole ${torn}` : `yes ${torn}`;
  }
  return partial ? 'no: it has no clean end (a session that was killed, or still runs)' : 'yes';
}
