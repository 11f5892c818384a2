// The one recording of this page: running, or over and still to be exported.
import type { StartOptions, Status } from '../api.ts';
import { type Graphics, Recording } from './recording.ts';

let current: Recording | null = null;

/** Starts a recording unless one runs. On a server, where pages are only rendered, there is nothing to record. */
export function begin(options: StartOptions, graphics: Graphics): void {
  if (current?.running === true) return;
  if (globalThis.document === undefined && !('WorkerGlobalScope' in globalThis)) return;
  current?.release();
  current = new Recording(options, graphics);
}

export function end(): void {
  current?.stop('stopped');
}

/** The recording that runs, if one does. */
export function active(): Recording | null {
  return current?.running === true ? current : null;
}

/** The recording that runs, or the last one. */
export function latest(): Recording | null {
  return current;
}

export function statusNow(): Status {
  return current?.status() ?? { state: 'idle', bytes: 0, records: 0, lost: 0, absent: [] };
}
