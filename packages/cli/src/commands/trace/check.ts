// `svc trace check`: whether a file is a valid trace; where not, line and column of the first fault.
import {
  FoldedScanner,
  type SkippedLine,
  SniffingReader,
  type TraceFormat,
  VptReader,
} from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatCount } from '../../output/text.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';

type Verdict = {
  readonly valid: true;
  readonly format: TraceFormat;
  /** Lines but the header; of a folded file, the stacks read. */
  readonly records: number;
  readonly partial: boolean;
  readonly torn_bytes: number;
  readonly skipped: readonly SkippedLine[];
  readonly skipped_count: number;
};

export const checkCommand = defineCommand<object>({
  name: 'check',
  summary: 'Check that a file is a valid trace',
  description: `It ends with 0 where the file can be read: a trace without its end is partial, which is no fault. It ends with 1 where not, and tells file, line and column (both from 1, columns in bytes) and the reason.`,
  arguments: [FILE_ARGUMENT],
  examples: [['svc trace check game.vpt && echo fine', 'in a script']],
  async run({ args: [file = ''], io, output }) {
    const named = formatByName(file);
    const reader = new SniffingReader<Verdict>((sniffed) =>
      (named ?? sniffed) === 'vpt' ? vptChecker() : foldedChecker(),
    );
    const verdict = await readTrace(file, io, reader);
    output.result(verdict, () => formatVerdict(file, verdict));
  },
});

function vptChecker() {
  const reader = new VptReader({});
  return {
    push: (chunk: Uint8Array) => reader.push(chunk),
    finish(): Verdict {
      const { records, end, torn_bytes } = reader.finish();
      const partial = end === null;
      return {
        valid: true,
        format: 'vpt',
        records,
        partial,
        torn_bytes,
        skipped: [],
        skipped_count: 0,
      };
    },
  };
}

function foldedChecker() {
  const scanner = new FoldedScanner({ stack() {} });
  return {
    push: (chunk: Uint8Array) => scanner.push(chunk),
    finish(): Verdict {
      const { samples: records, skipped, skipped_count } = scanner.finish();
      return {
        valid: true,
        format: 'folded',
        records,
        partial: false,
        torn_bytes: 0,
        skipped,
        skipped_count,
      };
    },
  };
}

function formatVerdict(file: string, verdict: Verdict): string[] {
  const what = verdict.format === 'vpt' ? 'a valid .vpt trace' : 'a valid file of folded stacks';
  const remarks = [
    ...(verdict.partial ? ['partial: it has no clean end'] : []),
    ...(verdict.torn_bytes > 0
      ? [`torn: ${verdict.torn_bytes} bytes after the last whole line are left out`]
      : []),
    ...verdict.skipped.slice(0, 10).map(({ line, reason }) => `line ${line} is skipped: ${reason}`),
    ...(verdict.skipped_count > 10
      ? [`${formatCount(verdict.skipped_count)} lines are skipped in all`]
      : []),
  ];
  return [
    `${file}: ${what}, ${formatCount(verdict.records)} records`,
    ...remarks.map((text) => `  ${text}`),
  ];
}
