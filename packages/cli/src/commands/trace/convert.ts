// `svc trace convert`: converts folded stacks to `.vpt`. A `.vpt` file is checked and copied.
import { FoldedConverter, SniffingReader, type TraceFormat, VptReader } from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatBytes } from '../../output/text.ts';
import { usageError } from '../../process/exit-codes.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';
import { openTarget } from './write-target.ts';

type Converted = { readonly format: TraceFormat; readonly skipped_count: number };

export const convertCommand = defineCommand({
  name: 'convert',
  summary: 'Convert folded stacks to .vpt',
  description: `The same input always gives the same bytes. A .vpt file is checked and copied unchanged. With -o the output file is complete or missing, never partial. Without -o the trace is written to standard output.`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '-o, --out <OUT>',
      help: 'the file to write (default: standard output)',
      value: { kind: 'file', endings: ['vpt'] },
    },
  ],
  examples: [['svc trace convert perf.folded -o perf.vpt', 'for the dashboard']],
  document: 'trace-convert',
  async run({ args: [file = ''], options, io, output }) {
    if (output.json && (options.out === undefined || options.out === '-')) {
      throw usageError('--json needs an output file. Add -o OUT.');
    }
    await using target = openTarget(options.out, io);
    const named = formatByName(file);
    const reader = new SniffingReader<Converted>((sniffed) =>
      (named ?? sniffed) === 'vpt' ? vptCopier(target) : foldedConverter(target),
    );
    const { format, skipped_count } = await readTrace(file, io, reader, () => target.drain());
    const bytes = await target.commit();
    if (skipped_count > 0) output.warn(`Skipped ${skipped_count} lines that are not stacks.`);
    if (options.out === undefined || options.out === '-') return;
    const document = { out: options.out, bytes, format, skipped_count };
    output.result(document, () => `Wrote ${options.out} (${formatBytes(bytes)}).`);
  },
});

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
      return { format: 'vpt', skipped_count: 0 };
    },
  };
}

function foldedConverter(target: Sink) {
  const converter = new FoldedConverter((text) => target.write(Buffer.from(text)));
  return {
    push: (chunk: Uint8Array) => converter.push(chunk),
    finish(): Converted {
      return { format: 'folded', skipped_count: converter.finish().skipped_count };
    },
  };
}
