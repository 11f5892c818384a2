// The recording of this page: the running one, or the last one, which can still be exported.
import type { StartOptions, Status } from '../api.ts';
import { type Graphics, Recording } from './recording.ts';

let current: Recording | null = null;

/** Starts a recording unless one is running. Does nothing on a server, where pages are only rendered. */
export function begin(options: StartOptions, graphics: Graphics): void {
  if (current?.sink.on === true) return;
  if (globalThis.document === undefined && !('WorkerGlobalScope' in globalThis)) return;
  current?.release();
  current = new Recording(options, graphics);
}

export function end(): void {
  current?.stop('stopped');
}

/** The running recording, or null. */
export function active(): Recording | null {
  return current?.sink.on === true ? current : null;
}

/** The running recording, or the last one, or null. */
export function latest(): Recording | null {
  return current;
}

export function statusNow(): Status {
  return current?.status() ?? { state: 'idle', bytes: 0, records: 0, lost: 0, absent: [] };
}
