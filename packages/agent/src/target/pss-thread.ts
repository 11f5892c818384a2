// Reads PSS on request in a worker thread, and measures the time of the reading.
//
// The kernel walks every page of the target under its memory lock, which takes about 11 ms per GB
// of 4 KiB pages. The time must be exact, and the event loop must not wait for it.
import { closeSync, openSync, readSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { codeOf } from '@svc/contracts/caught';

/**
 * The result of one reading. `denied`: this user may not read PSS. `failed`: this reading failed.
 * `gone`: the process has exited, or has no memory of its own. The next reading may have another
 * outcome.
 */
export type PssReading =
  | { readonly outcome: 'read'; readonly pssBytes: number; readonly costMs: number }
  | { readonly outcome: 'denied' | 'failed'; readonly reason: string }
  | { readonly outcome: 'gone' };

/** The first message of a thread: it is ready to read. */
export const PSS_READY = 'ready';

export type PssRole = { readonly role: 'pss'; readonly folder: string };

/** Sends PSS_READY, then answers each message with a reading. */
export function readPssOnRequest(port: MessagePort, { folder }: PssRole): void {
  port.on('message', () => port.postMessage(readPss(folder)));
  port.postMessage(PSS_READY);
}

/**
 * Reads PSS once. The file is opened each time, because an open one does not survive an exec of the
 * target.
 */
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
    return failedReading(codeOf(error) || 'unknown');
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  EMFILE: 'the agent has too many files open',
  ENFILE: 'the system has too many files open',
  ENOMEM: 'the kernel has no memory for it',
};

function failedReading(code: string): PssReading {
  if (code === 'ESRCH' || code === 'ENOENT') return { outcome: 'gone' };
  if (code === 'EACCES' || code === 'EPERM') {
    const reason = `The kernel does not let this user read the memory map of the process (${code})`;
    return { outcome: 'denied', reason };
  }
  const cause = CAUSES[code] === undefined ? code : `${CAUSES[code]} (${code})`;
  return {
    outcome: 'failed',
    reason: `The latest reading of PSS failed: ${cause}; svc tries again`,
  };
}
