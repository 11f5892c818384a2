// The public functions of the collector, except `start`. They can be called anywhere and at any time. None of them throws,
// writes to the console or opens a connection.

import type { AssetNote, Span, Status } from '../api.ts';
import { now } from '../sink/clock.ts';
import { quietly } from '../sink/sink.ts';
import { active, end, latest, statusNow } from './active.ts';
import { noteAsset, noteCounter, noteMark, noteSpan } from './notes.ts';
import type { Recording } from './recording.ts';

const TRACE_TYPE = 'application/x-ndjson';
const FILE_NAME = 'game.vpt';
const URL_LIVES_MS = 60_000;

/** Ends the recording and restores everything in the page. The trace is kept until the next start. */
export function stop(): void {
  quietly(end);
}

/** The state of the collector. */
export function status(): Status {
  return statusNow();
}

/** The trace as a `.vpt` file: the running recording so far, or the last one. Empty without a recording. */
function exportBlob(): Blob {
  return new Blob(traceParts(), { type: TRACE_TYPE });
}

export { exportBlob as export };

/** The trace as text. Empty without a recording. */
export function exportText(): string {
  const decoder = new TextDecoder();
  return traceParts()
    .map((part) => (typeof part === 'string' ? part : decoder.decode(part)))
    .join('');
}

/** Downloads the trace. Does nothing without a document or a recording. */
export function download(fileName?: string): void {
  quietly(() => {
    if (latest() === null) return;
    const url = URL.createObjectURL(exportBlob());
    const link = document.createElement('a');
    link.href = url;
    link.download = typeof fileName === 'string' && fileName !== '' ? fileName : FILE_NAME;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), URL_LIVES_MS);
  });
}

/** Records a point in time: `mark('level 3')`. */
export function mark(name: string): void {
  whileRecording((recording) => noteMark(recording, name));
}

/** Records an interval from now until `end()`: `const loading = span('load level'); …; loading.end()`. */
export function span(name: string, track?: string): Span {
  const from = now();
  let open = true;
  const finish = () => {
    if (open) whileRecording((recording) => noteSpan(recording, name, track, from));
    open = false;
  };
  return Object.assign({ end: finish }, { [Symbol.dispose ?? 'dispose']: finish });
}

/** Records a value at this time: `counter('enemies', 41)`. */
export function counter(name: string, value: number, unit = 'count'): void {
  whileRecording((recording) => noteCounter(recording, name, value, unit));
}

/**
 * Names an asset, or records what happened to it. `target` is a URL, a key of the game, or an object that belongs to the asset:
 * an image, a bitmap, an array that the game uploads, a WebGL or WebGPU texture or buffer, an `AudioBuffer`.
 */
export function asset(target: string | object, note?: AssetNote): void {
  whileRecording((recording) => noteAsset(recording, target, note ?? {}));
}

/** Runs `work` with the running recording, if there is one. */
function whileRecording(work: (recording: Recording) => void): void {
  const recording = active();
  if (recording !== null) quietly(() => work(recording));
}

function traceParts(): (string | Uint8Array<ArrayBuffer>)[] {
  try {
    return latest()?.parts() ?? [];
  } catch {
    return [];
  }
}
