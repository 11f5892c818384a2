// `svc trace convert`: folded stacks to `.vpt`, the same bytes each time; a `.vpt` is checked and copied.
import { FoldedConverter, SniffingReader, type TraceFormat, VptReader } from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import { formatBytes } from '../../output/text.ts';
import { usageError } from '../../process/exit-codes.ts';
import { FILE_ARGUMENT, formatByName, readTrace } from '../../trace/read-trace.ts';
import { openTarget } from './write-target.ts';

type ConvertOptions = { readonly out?: string };

type Converted = { readonly format: TraceFormat; readonly skipped_count: number };

export const convertCommand = defineCommand<ConvertOptions>({
  name: 'convert',
  summary: 'Write a file of folded stacks as .vpt',
  description: `The same input gives the same bytes each time. A .vpt is checked and copied as it is. With -o the file appears whole or not at all; without, the trace goes to standard output.`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '-o, --out <OUT>',
      help: 'the file to write (standard output without it)',
      value: { kind: 'file', endings: ['vpt'] },
    },
  ],
  examples: [['svc trace convert perf.folded -o perf.vpt', 'for the dashboard']],
  async run({ args: [file = ''], options, io, output }) {
    if (output.json && (options.out === undefined || options.out === '-')) {
      throw usageError('With --json the trace needs a file of its own: -o OUT.');
    }
    await using target = openTarget(options.out, io);
    const named = formatByName(file);
    const reader = new SniffingReader<Converted>((sniffed) =>
      (named ?? sniffed) === 'vpt' ? vptCopier(target) : foldedConverter(target),
    );
    const { format, skipped_count } = await readTrace(file, io, reader, () => target.drain());
    const bytes = await target.commit();
    if (skipped_count > 0) output.warn(`${skipped_count} lines are no stacks, and are left out.`);
    if (options.out === undefined || options.out === '-') return;
    const document = { out: options.out, bytes, format, skipped_count };
    output.result(document, () => `Wrote ${options.out} (${formatBytes(bytes)}).`);
  },
});

type Sink = { write(bytes: Uint8Array): void };

/** Checks what it copies; a fault in the middle leaves no file. */
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
