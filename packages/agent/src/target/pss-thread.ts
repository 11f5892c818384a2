// Runs in a worker thread: reads PSS when asked, and times the reading alone.
//
// The kernel walks every page of the target under its memory lock (about 11 ms for each GB of 4 KiB pages), so the time
// must be told exactly, and the event loop must not wait for it.
import { closeSync, openSync, readSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';

/** What one reading came to. `gone`: the process has exited, or has no memory of its own. */
export type PssReading =
  | { readonly outcome: 'read'; readonly pssBytes: number; readonly costMs: number }
  | { readonly outcome: 'denied'; readonly reason: string }
  | { readonly outcome: 'gone' };

/** The first thing a thread says: from now on it reads. */
export const PSS_READY = 'ready';

export type PssRole = { readonly role: 'pss'; readonly folder: string };

/** Says that it is ready, then answers each message with a reading. */
export function readPssOnRequest(port: MessagePort, { folder }: PssRole): void {
  port.on('message', () => port.postMessage(readPss(folder)));
  port.postMessage(PSS_READY);
}

/** Reads PSS once; the file is opened anew each time, because a kept one does not survive an exec of the target. */
export function readPss(folder: string): PssReading {
  const buffer = Buffer.allocUnsafe(4096);
  let descriptor: number | null = null;
  try {
    descriptor = openSync(`${folder}/smaps_rollup`, 'r');
    const before = performance.now();
    const length = readSync(descriptor, buffer, 0, buffer.length, null);
    const costMs = performance.now() - before;
    const kib = /^Pss:\s+(\d+) kB$/m.exec(buffer.toString('latin1', 0, length))?.[1];
    return kib === undefined
      ? { outcome: 'gone' }
      : { outcome: 'read', pssBytes: Number(kib) * 1024, costMs };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ESRCH' || code === 'ENOENT') return { outcome: 'gone' };
    return {
      outcome: 'denied',
      reason: `The kernel refuses to tell PSS of this process (${code})`,
    };
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
