// `svc trace info`: describes a trace, in one pass and bounded memory.
import { TraceInfoReader } from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';
import { formatInfo } from './format-info.ts';

/** The width of a terminal that does not report one. */
const USUAL_COLUMNS = 80;

export const infoCommand = defineCommand({
  name: 'info',
  summary: 'Describe a trace',
  description: `svc shows the format, the sources, the number of records by type, the duration, the graphics adapter and the build, and whether the trace is partial or torn. For CPU, memory, threads and counters it shows the range, the average, the 95th percentile and the change per minute, for frames their rate, percentiles and hitches, for stacks the samples with their exact total. What a trace does not have is left out. On a terminal, each series has a small picture over time. The file is streamed and may have any size.`,
  arguments: [FILE_ARGUMENT],
  examples: [
    ['svc trace info game.vpt', 'as text'],
    ['perf script | stackcollapse-perf.pl | svc trace info - --json', 'as JSON, for a script'],
  ],
  document: 'trace-info',
  async run({ args: [file = ''], io, output }) {
    const info = await readTrace(file, io, new TraceInfoReader(formatByName(file)));
    const { curves: _curves, ...document } = info;
    const { isTTY, columns } = io.stdout;
    const draws = isTTY === true && io.env['TERM'] !== 'dumb';
    const terminal = draws ? { columns: columns ?? USUAL_COLUMNS } : null;
    output.result(document, () => formatInfo(info, terminal));
  },
});
