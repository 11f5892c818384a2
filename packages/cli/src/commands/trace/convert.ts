// `svc trace convert`: converts profiles, frame logs and folded stacks to `.vpt`. A `.vpt` file is checked and copied.
import {
  bytesText,
  type ConvertedFormat,
  FoldedConverter,
  openConverter,
  SniffingReader,
  type TraceFormat,
  VptReader,
} from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { usageError } from '../../process/exit-codes.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';
import { skippedText } from '../../trace/skipped-text.ts';
import { openTarget } from '../../trace/write-target.ts';

type Converted = {
  readonly format: TraceFormat;
  readonly skipped_count: number;
  /** Whether the file ended in the middle. */
  readonly torn: boolean;
};

export const convertCommand = defineCommand({
  name: 'convert',
  summary: 'Convert a profile, a frame log or folded stacks to .vpt',
  description: `svc reads CPU profiles of V8, traces of Chrome, CSV logs of MangoHud, PresentMon, Unreal Engine and Godot, and folded stacks. The same input always gives the same bytes. A .vpt file is checked and copied unchanged. A profile or log that ends in the middle, for example because the program that wrote it was killed, is converted as far as it goes. With -o the output file is complete or missing, never partial. Without -o the trace is written to standard output.`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '-o, --out <OUT>',
      help: 'the file to write (default: standard output)',
      value: { kind: 'file', endings: ['vpt'] },
    },
  ],
  examples: [
    [
      'svc trace convert Trace-20260301T100000.json.gz -o game.vpt',
      'a recording of Chrome DevTools',
    ],
    ['svc trace convert MangoHud/game.csv -o game.vpt', 'a log of MangoHud'],
    ['svc trace convert perf.folded -o perf.vpt', 'for the dashboard'],
  ],
  document: 'trace-convert',
  async run({ args: [file = ''], options, io, output }) {
    if (output.json && (options.out === undefined || options.out === '-')) {
      throw usageError('--json needs an output file. Add -o OUT.');
    }
    await using target = openTarget(options.out, io);
    const named = formatByName(file);
    const reader = new SniffingReader<Converted>((sniffed) => {
      const read = named ?? sniffed;
      if (read === 'folded') return foldedConverter(target);
      return read === 'vpt' ? vptCopier(target) : profileConverter(read, target);
    });
    const { format, skipped_count, torn } = await readTrace(file, io, reader, () => target.drain());
    const bytes = await target.commit();
    if (torn) output.warn('The file ends in the middle. Everything before was converted.');
    if (skipped_count > 0) output.warn(skippedLine(format, skipped_count));
    if (options.out === undefined || options.out === '-') return;
    const document = { out: options.out, bytes, format, skipped_count, ...(torn && { torn }) };
    output.result(document, () => `Wrote ${options.out} (${bytesText(bytes)}).`);
  },
});

function skippedLine(format: TraceFormat, count: number): string {
  return format === 'folded'
    ? `Skipped ${count} lines that are not stacks.`
    : `Skipped ${skippedText(format, count)} that could not be read.`;
}

type Sink = { write(bytes: Uint8Array): void };

/** Checks the trace while copying it. A fault leaves no file. */
function vptCopier(target: Sink) {
  const reader = new VptReader({});
  return {
    push(chunk: Uint8Array) {
      reader.push(chunk);
      target.write(chunk);
    },
    finish(): Converted {
      reader.finish();
      return { format: 'vpt', skipped_count: 0, torn: false };
    },
  };
}

function foldedConverter(target: Sink) {
  const converter = new FoldedConverter((text) => target.write(Buffer.from(text)));
  return {
    push: (chunk: Uint8Array) => converter.push(chunk),
    finish(): Converted {
      const { skipped_count } = converter.finish();
      return { format: 'folded', skipped_count, torn: false };
    },
  };
}

function profileConverter(format: ConvertedFormat, target: Sink) {
  const converter = openConverter(format, (text) => target.write(Buffer.from(text)));
  return {
    push: (chunk: Uint8Array) => converter.push(chunk),
    finish(): Converted {
      const { unreadable, torn } = converter.finish();
      return { format, skipped_count: unreadable, torn };
    },
  };
}
