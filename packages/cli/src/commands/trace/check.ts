// `svc trace check`: checks that a file is a valid trace. Reports line and column of the first fault.
import {
  type ConvertedFormat,
  FoldedScanner,
  isConvertedFormat,
  ProfileReader,
  type SkippedLine,
  SniffingReader,
  type TraceFormat,
  VptReader,
} from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatCount } from '../../output/text.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';
import { skippedText } from '../../trace/skipped-text.ts';

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
    const reader = new SniffingReader<Verdict>((sniffed) => {
      const format = named ?? sniffed;
      if (format === 'folded') return foldedChecker();
      return format === 'vpt' ? vptChecker() : profileChecker(format);
    });
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

function profileChecker(format: ConvertedFormat) {
  const reader = new ProfileReader(format, {});
  return {
    push: (chunk: Uint8Array) => reader.push(chunk),
    finish(): Verdict {
      const { records, torn, unreadable } = reader.finish();
      return {
        valid: true,
        format,
        records,
        partial: torn,
        torn_bytes: 0,
        skipped: [],
        skipped_count: unreadable,
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

const WHAT: Readonly<Record<TraceFormat, string>> = {
  vpt: 'a valid .vpt trace',
  folded: 'a valid file of folded stacks',
  cpuprofile: 'a V8 CPU profile',
  chrome: 'a Chrome trace',
  mangohud: 'a log of MangoHud',
  presentmon: 'a log of PresentMon',
  unreal: 'a CSV profile of Unreal Engine',
  godot: 'measures of Godot',
};

const TORN_PROFILE = 'partial: the file ends in the middle; everything before was read';

function formatVerdict(file: string, verdict: Verdict): string[] {
  const isConverted = isConvertedFormat(verdict.format);
  const remarks = [
    ...(verdict.partial ? [isConverted ? TORN_PROFILE : 'partial: the end record is missing'] : []),
    ...(verdict.torn_bytes > 0
      ? [`torn: ${verdict.torn_bytes} bytes after the last complete line are ignored`]
      : []),
    ...verdict.skipped
      .slice(0, 10)
      .map(({ line, reason }) => `line ${line} was skipped: ${reason}`),
    ...(isConverted && verdict.skipped_count > 0
      ? [`${skippedText(verdict.format, verdict.skipped_count)} could not be read`]
      : []),
    ...(verdict.skipped_count > 10 && !isConverted
      ? [`${formatCount(verdict.skipped_count)} lines were skipped in total`]
      : []),
  ];
  return [
    `${file}: ${WHAT[verdict.format]}, ${formatCount(verdict.records)} records`,
    ...remarks.map((text) => `  ${text}`),
  ];
}
