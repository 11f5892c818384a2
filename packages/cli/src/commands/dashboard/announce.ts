// Reports the start and the end of a dashboard, and opens the browser.
import { rmSync } from 'node:fs';
import type { Agent } from '@svc/agent';
import type { BusyChild, Ending } from '@svc/contracts/agent';
import { bytesText } from '@svc/trace/number-text';
import { busyChildText, exitText } from '../../agent/process-text.ts';
import type { ProgramEnd } from '../../agent/program-end.ts';
import type { Documents } from '../../documents.ts';
import type { Output } from '../../output/output.ts';
import { formatDuration, formatFields, safeLine } from '../../output/text.ts';
import type { Io } from '../../process/io.ts';
import { openInBrowser, writeRedirectFile } from '../../process/open-browser.ts';

export type AnnounceOptions = {
  readonly storageCapBytes: number;
  /** Whether to open the browser. False with `--no-open`. */
  readonly open: boolean;
  /** Whether the recording has started. */
  readonly records: boolean;
  /** The name of the program that svc has started, or null. */
  readonly program: string | null;
  /** The trace to follow, as the user wrote it, or null. */
  readonly follow: string | null;
};

/** Cleans up after the announcement when the session ends. */
export type Announcement = {
  /** Removes the file that redirects the browser to the dashboard. */
  withdraw(): void;
};

/** Prints the address of the dashboard. On a terminal, also opens the browser. */
export function announce(
  agent: Agent,
  io: Io,
  output: Output<Documents['dashboard']>,
  options: AnnounceOptions,
): Announcement {
  const { url, origin, token, target, expiresAt } = agent;
  output.event({ event: 'listening', url, origin, token, target, expires_at: expiresAt });
  for (const line of formatAnnouncement(agent, output, options)) output.line(line);
  if (agent.dataDirWarning !== null) output.warn(`${safeLine(agent.dataDirWarning)}.`);
  const opens = !output.json && options.open && io.stdout.isTTY === true;
  const file = opens ? tryWriteRedirectFile(agent) : null;
  const withdraw = (): void => {
    if (file !== null) rmSync(file, { force: true });
  };
  if (file !== null) {
    openInBrowser(file);
    void agent.authenticated.then(withdraw);
  }
  return { withdraw };
}

function tryWriteRedirectFile(agent: Agent): string | null {
  try {
    return writeRedirectFile(agent.dataDir, agent.url, 'the dashboard');
  } catch {
    // Failing to open the browser is not an error, because the address is printed.
    return null;
  }
}

function formatAnnouncement(
  { url, target, recovered, dataDir, expiresAt }: Agent,
  { paint }: Output,
  { storageCapBytes, records, program, follow }: AnnounceOptions,
): string[] {
  const leftMs = Math.max(0, Date.parse(expiresAt) - Date.now());
  const fields = formatFields([
    ['Open', url],
    [
      'Authorized',
      target === null
        ? 'no process, only traces (choose a process with --pid or --name)'
        : `${safeLine(target.name)}, PID ${target.pid}; recording ${records ? 'has started' : 'starts when you press Start'}`,
    ],
    ...(follow === null
      ? []
      : [['Follows', `${safeLine(follow)}, which the game writes`] as const]),
    ['Data', `${safeLine(dataDir)} (at most ${bytesText(storageCapBytes)} per session)`],
    ['Ends', `in ${formatDuration(Math.ceil(leftMs / 1000) * 1000)}, at ${expiresAt}`],
    [
      'Stop',
      `Ctrl-C, or End session in the viewer${program === null ? '' : `; then svc ends ${safeLine(program)}, too`}`,
    ],
  ]).map((line) => line.replace(/^\w+/, (name) => paint('bold', name)));
  if (recovered.length === 0) return fields;
  const left = recovered.map(({ path, bytes }) => `  ${safeLine(path)}  (${bytesText(bytes)})`);
  const heading = 'Recordings of sessions that were killed. Open one with svc dashboard FILE:';
  return [...fields, '', heading, ...left];
}

const ENDINGS: Readonly<Record<Ending['reason'], string>> = {
  off: 'The session was ended in the viewer.',
  ttl: 'The session has reached its time limit (--ttl).',
  signal: 'The session has ended.',
  target_exit: 'The session has ended: the process has exited.',
};

/**
 * Reports why the session ended, and the path of the recording. `finished` is false if svc did not wait for the end of the
 * recording. `exit` is how the program that svc has started ended the session.
 */
export function reportEnding(
  output: Output<Documents['dashboard']>,
  { reason, trace }: Ending,
  {
    finished = true,
    exit = null,
  }: { readonly finished?: boolean; readonly exit?: ProgramEnd | null } = {},
): void {
  const document = exit === null ? {} : { exit: { code: exit.code, signal: exit.signal } };
  output.event({ event: 'ended', reason, trace, ...document });
  output.line(exit === null ? ENDINGS[reason] : `The session has ended: ${exitText(exit)}.`);
  if (trace === null) return;
  const truncated = trace.truncated ? ', cut off at --storage-cap' : '';
  const about = `${safeLine(trace.path)} (${bytesText(trace.bytes)}${truncated})`;
  const whole = finished && !trace.path.endsWith('.partial');
  output.line(whole ? `Saved the recording ${about}.` : `The recording is incomplete: ${about}.`);
}

/** Reports that the process is idle while a child of it works, with the way to profile the child. */
export function reportBusyChild(
  output: Output<Documents['dashboard']>,
  name: string,
  child: BusyChild,
): void {
  output.event({ event: 'busy_child', ...child });
  output.warn(busyChildText(name, child));
}
