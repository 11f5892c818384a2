// `svc trace check`: checks that a file is a valid trace. Reports line and column of the first fault.
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
  /** The number of lines without the header. In a folded file, the number of stacks. */
  readonly records: number;
  readonly partial: boolean;
  readonly torn_bytes: number;
  readonly skipped: readonly SkippedLine[];
  readonly skipped_count: number;
};

export const checkCommand = defineCommand({
  name: 'check',
  summary: 'Check that a file is a valid trace',
  description: `The exit code is 0 if the file is valid. A trace without an end record is partial, which is not a fault. Otherwise the exit code is 1, and svc reports the file, the line, the column (both start at 1; columns count bytes) and the reason.`,
  arguments: [FILE_ARGUMENT],
  examples: [['svc trace check game.vpt && echo fine', 'in a script']],
  document: 'trace-check',
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
    ...(verdict.partial ? ['partial: the end record is missing'] : []),
    ...(verdict.torn_bytes > 0
      ? [`torn: ${verdict.torn_bytes} bytes after the last complete line are ignored`]
      : []),
    ...verdict.skipped
      .slice(0, 10)
      .map(({ line, reason }) => `line ${line} was skipped: ${reason}`),
    ...(verdict.skipped_count > 10
      ? [`${formatCount(verdict.skipped_count)} lines were skipped in total`]
      : []),
  ];
  return [
    `${file}: ${what}, ${formatCount(verdict.records)} records`,
    ...remarks.map((text) => `  ${text}`),
  ];
}
