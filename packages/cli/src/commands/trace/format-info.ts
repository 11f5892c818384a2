// Formats the result of `svc trace info`. A row without anything to say is left out.
import { isConvertedFormat, machineText, pluralText, type TraceInfo } from '@svc/trace';
import { formatTable } from '../../output/table.ts';
import { formatCount, formatDuration, formatFields } from '../../output/text.ts';
import { formatDecimalCount } from '../../trace/format-weights.ts';
import { skippedText } from '../../trace/skipped-text.ts';
import { noteCells } from './format-notes.ts';
import { formatMeasured, type Terminal } from './format-series.ts';

/** The number of skipped lines listed in the text output. */
const SKIPPED_SHOWN = 10;
/** The number of notes listed in the text output. */
const NOTES_SHOWN = 20;

const FORMATS: Readonly<Record<TraceInfo['format'], string>> = {
  vpt: '.vpt',
  folded: 'folded stacks',
  cpuprofile: 'V8 CPU profile',
  chrome: 'Chrome trace',
  mangohud: 'log of MangoHud',
  presentmon: 'log of PresentMon',
  unreal: 'CSV profile of Unreal Engine',
  godot: 'measures of Godot',
};

export function formatInfo(info: TraceInfo, terminal: Terminal): string[] {
  const { gpu, build, machine, format, skipped_count } = info;
  const fields: [string, string][] = [
    ['format', FORMATS[format]],
    ['sources', info.sources.join(', ')],
    ['records', recordsText(info)],
    ['duration', info.duration_ms === null ? 'unknown' : formatDuration(info.duration_ms)],
  ];
  if (gpu !== undefined) {
    fields.push(['graphics', `${gpu.name}${gpu.software ? ' (in software)' : ''}`]);
  }
  if (machine !== undefined) fields.push(['machine', machineText(machine)]);
  if (build !== undefined) fields.push(['build', build.digest]);
  fields.push(...stackFields(info), ['complete', completeText(info)]);
  if (skipped_count > 0) {
    const skipped =
      format === 'folded'
        ? `${formatCount(skipped_count)} lines that are not stacks:`
        : `${skippedText(format, skipped_count)} that could not be read`;
    fields.push(['skipped', skipped]);
  }
  return [
    ...formatFields(fields),
    ...skippedLines(info),
    ...formatMeasured(info, terminal),
    ...noteLines(info),
  ];
}

/** The table of the notes, after an empty line. No lines without notes. */
function noteLines({ notes, notes_left_out }: TraceInfo): string[] {
  const shown = notes.slice(0, NOTES_SHOWN);
  const more = notes.length - shown.length + notes_left_out;
  if (shown.length === 0) {
    return more === 0
      ? []
      : ['', `${pluralText(more, 'note is', 'notes are')} not listed: svc trace note FILE`];
  }
  return [
    '',
    ...formatTable(
      [{ title: 'notes', align: 'right' }, { title: 'length', align: 'right' }, { title: 'title' }],
      shown.map(noteCells),
    ),
    ...(more > 0 ? [`and ${formatCount(more)} more: svc trace note FILE`] : []),
  ];
}

function skippedLines({ format, skipped, skipped_count }: TraceInfo): string[] {
  const shown = skipped.slice(0, SKIPPED_SHOWN);
  const more = format === 'folded' ? skipped_count - shown.length : 0;
  return [
    ...shown.map(({ line, reason }) => `  line ${line}: ${reason}`),
    ...(more > 0 ? [`  … and ${formatCount(more)} more (--json lists up to 1000)`] : []),
  ];
}

/** The number of records, and of each type if there are several. */
function recordsText({ records, record_counts }: TraceInfo): string {
  const types = Object.entries(record_counts).sort(([, a], [, b]) => b - a);
  const listed = types.map(([type, count]) => `${formatCount(count)} ${type}`).join(', ');
  return `${formatCount(records)}${listed === '' ? '' : ` (${listed})`}`;
}

/** The rows about stacks, if the trace has samples. `frames` of the document counts functions. */
function stackFields(info: TraceInfo): [string, string][] {
  const { samples, weight_total_before: before, unit, other_weights = [] } = info;
  if (samples === 0) return [];
  const first = weightText(info.weight_total, unit);
  return [
    ['samples', formatCount(samples)],
    ['weight', `${first}${before === undefined ? '' : `, before ${weightText(before, unit)}`}`],
    ...other_weights.map((other): [string, string] => [
      '',
      weightText(other.weight_total, other.unit),
    ]),
    ['stacks', `${formatCount(info.stacks)} distinct`],
    ['functions', `${formatCount(info.frames)} distinct`],
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
  if (partial && isConvertedFormat(format)) {
    return 'no: the file ends in the middle';
  }
  return partial
    ? 'no: the end record is missing (the session was killed, or is still running)'
    : 'yes';
}
