// `svc trace symbolicate`: replaces the minified names of functions in a trace with those of their source.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from '../../command-line/define-command.ts';
import type { Documents } from '../../documents.ts';
import { formatCount, safeText } from '../../output/text.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import { openMaps } from '../../trace/open-maps.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';
import { symbolicateTrace } from '../../trace/symbolicate-trace.ts';
import { openTarget } from '../../trace/write-target.ts';

type Report = Documents['trace-symbolicate'];

/** The most scripts that the text lists. */
const LISTED = 5;
/** The most scripts and warnings in the document. */
const MOST_LISTED = 1000;

export const symbolicateCommand = defineCommand({
  name: 'symbolicate',
  summary: 'Replace minified function names with those of the source, from source maps',
  description: `svc reads the source maps beside the scripts of a build and writes a new trace, in which each function has its name, file and line in the source. A folder with only the maps works too. Functions of WebAssembly without a name get it from an unstripped module (the same code, built with names) or from a symbol file of Emscripten. Nothing is sent, and no file outside of --maps is read. Everything else in the trace stays as it is. A CPU profile or Chrome trace is converted first. Without -o the new trace is beside FILE, and an existing file is not replaced.`,
  arguments: [FILE_ARGUMENT],
  options: [
    {
      flags: '--maps <DIR|ZIP>',
      help: 'the build with its source maps: a folder, or the ZIP of a build',
      value: { kind: 'file', endings: ['zip'] },
      required: true,
    },
    {
      flags: '-o, --out <OUT>',
      help: 'the file to write (default: FILE with the ending .symbolicated.vpt)',
      value: { kind: 'file', endings: ['vpt'] },
    },
  ],
  examples: [
    ['svc trace symbolicate game.vpt --maps dist', 'writes game.symbolicated.vpt'],
    [
      'svc trace symbolicate Trace-20260301T100000.json.gz --maps dist -o game.vpt',
      'a recording of Chrome DevTools',
    ],
  ],
  document: 'trace-symbolicate',
  async run({ args: [file = ''], options, io, output }) {
    const out = options.out ?? besideFile(file, io);
    if (out === '-' && output.json) throw usageError('--json needs an output file. Add -o OUT.');
    await using maps = await openMaps(options.maps ?? '', io.cwd);
    await using target = openTarget(out, io);
    const torn = await symbolicateTrace(file, maps.symbols, target, io);
    const bytes = await target.commit();
    const { scripts, warnings, ...counts } = maps.symbols.report();
    for (const { path, message } of warnings.slice(0, LISTED)) {
      output.warn(`Cannot use ${path}: ${message}.`);
    }
    if (torn) output.warn('The file ends in the middle. Everything before was converted.');
    const report: Report = {
      out,
      bytes,
      ...counts,
      scripts: scripts.slice(0, MOST_LISTED),
      warnings: warnings.slice(0, MOST_LISTED),
      ...(torn && { torn }),
    };
    if (out === '-') for (const line of formatReport(report)) output.note(line);
    else output.result(report, () => formatReport(report));
  },
});

/** `game.symbolicated.vpt` beside `game.vpt` or `game.json.gz`. Throws an ExitError if there is such a file, or no FILE. */
function besideFile(file: string, io: Io): string {
  if (file === '-') throw usageError('Standard input has no name. Add -o OUT.');
  const out = `${file.replace(/(?:\.(?:vpt|cpuprofile|json|folded|csv|txt))?(?:\.gz)?$/i, '')}.symbolicated.vpt`;
  if (!existsSync(resolve(io.cwd, out))) return out;
  throw new ExitError(EXIT.unexpected, 'file_exists', `"${out}" exists.`, {
    hint: `Delete it, or replace it with -o ${out}.`,
  });
}

function formatReport({ out, functions, resolved, maps, scripts }: Report): string[] {
  if (functions === 0) {
    return [
      'The trace has no functions of scripts. Record with the Performance panel of Chrome DevTools to get them.',
      ...(out === '-' ? [] : [`Wrote ${out}.`]),
    ];
  }
  const from = maps.length === 0 ? '' : ` from ${counted(maps.length, kindOf(maps))}`;
  const without = scripts.filter(({ map }) => map === null);
  const shown = without.slice(0, LISTED);
  return [
    `Resolved ${formatCount(resolved)} of ${counted(functions, 'function')}${from}.`,
    ...(without.length === 0
      ? []
      : [
          '',
          'No source map was found for:',
          ...shown.map(
            ({ url, functions: own }) => `  ${safeText(url)}  ${counted(own, 'function')}`,
          ),
          ...(without.length > shown.length
            ? [`  … and ${counted(without.length - shown.length, 'other script')}`]
            : []),
          'Build the game with source maps, and name the folder of that build with --maps. Scripts of libraries without a map keep their names.',
        ]),
    ...(out === '-' ? [] : ['', `Wrote ${out}. Run: svc trace hitches ${quoted(out)}`]),
  ];
}

function kindOf(maps: readonly string[]): string {
  return maps.some((path) => /\.(?:wasm|symbols)$/i.test(path)) ? 'symbol file' : 'source map';
}

/** The path as an argument of a shell. */
function quoted(path: string): string {
  return /^[\w./\\:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
