// What `svc record` prints at the end: what bounds the frames, and the longest hitch with its causes.
import type { Counts, Recorded } from '@svc/recorder';
import type { Call } from '../../command-line/define-command.ts';
import type { Documents } from '../../documents.ts';
import { formatCount, formatDuration, safeText } from '../../output/text.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import { causeClauses } from '../../trace/describe-causes.ts';
import { readModel } from '../../trace/read-model.ts';
import { describeRecording } from './describe-recording.ts';
import type { Named } from './name-functions.ts';
import { type InputDocument, inputText } from './read-input.ts';
import { nothingDrawn, type StartReport } from './start-report.ts';

/** What is known after a recording. */
export type RecordingReport = {
  /** The path of the trace. */
  readonly path: string;
  /** The path of the recorded build, or null for a URL. */
  readonly build: string | null;
  readonly recorded: Recorded;
  readonly start: StartReport;
  readonly inputs: InputDocument;
  readonly symbols: Named | null;
};

/** Prints the answer. Throws an ExitError (1) if the tab or the browser has crashed, or if nothing was recorded. */
export async function reportRecording(
  { io, output, options }: Call<{ readonly stacks: boolean }, 'record'>,
  { path, build, recorded, start, inputs, symbols }: RecordingReport,
): Promise<void> {
  const { duration_ms, frames, hitches, ended, failure } = recorded;
  const { bound, answer, worst } = describeRecording(await readModel(path, io));
  const document = {
    output: path,
    ended,
    duration_ms: Math.round(duration_ms),
    frames,
    hitches,
    ...start,
    bound,
    answer,
    worst,
    symbols,
    ...inputs,
    process: null,
    budgets: [],
  };
  // The next step of an unknown bound is a recording with functions.
  const hasDrawn = start.first_frame_ms !== null && frames > 0;
  const isAnswered = hasDrawn && (options.stacks || bound !== 'unknown');
  if (failure !== null) throw failedRecording(failure, document);
  output.result(document, (paint) => [
    ...(hasDrawn
      ? [paint('bold', countsText({ duration_ms, frames, hitches }))]
      : nothingDrawn(duration_ms, build)),
    ...(isAnswered ? [safeText(answer)] : []),
    ...worstText(worst),
    ...namedText(symbols),
    ...inputText(inputs),
    `Wrote ${safeText(path)}. Open it with: svc dashboard ${safeText(path)}`,
  ]);
}

function countsText({ duration_ms, frames, hitches }: Omit<Counts, 'fps'>): string {
  const hitchText = hitches === 1 ? '1 hitch' : `${formatCount(hitches)} hitches`;
  return `Recorded ${formatCount(frames)} frames in ${formatDuration(duration_ms)}, with ${hitchText}.`;
}

export function worstText(worst: Documents['record']['worst']): string[] {
  if (worst === null) return [];
  const { t, duration_ms, causes } = worst;
  const [first, ...others] = causeClauses(causes, duration_ms);
  const reason =
    first === undefined ? '' : `: ${safeText([`${first} of it`, ...others].join(', '))}`;
  return [`The longest hitch took ${duration_ms} ms, at ${formatDuration(t)}${reason}.`];
}

function namedText(named: Named | null): string[] {
  if (named === null) return [];
  const { functions, resolved } = named;
  return [
    `${formatCount(resolved)} of ${formatCount(functions)} functions have the names of their source.`,
  ];
}

/** The error for a recording that failed. `result` is the document of what was recorded, or null. */
export function failedRecording(
  { code, message, hint }: { code: string; message: string; hint: string | null },
  result: object | null,
): ExitError {
  const exit = code === 'page_not_loaded' ? EXIT.unreachable : EXIT.unexpected;
  const kept =
    result !== null && 'output' in result ? ` The trace up to then is "${result.output}".` : '';
  return new ExitError(exit, code, `${message}${kept}`, {
    ...(hint !== null && { hint }),
    ...(result !== null && { result }),
  });
}
