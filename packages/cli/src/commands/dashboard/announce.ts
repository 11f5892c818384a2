// What a person or a program is told of a dashboard that has started, and of its ending; and the browser that is opened.
import { rmSync } from 'node:fs';
import type { Agent } from '@svc/agent';
import type { Ending } from '@svc/contracts/agent';
import type { Output } from '../../output/output.ts';
import { formatBytes, formatDuration, formatFields, safeLine } from '../../output/text.ts';
import type { Io } from '../../process/io.ts';
import { openInBrowser, writeRedirectFile } from '../../process/open-browser.ts';

export type AnnounceOptions = {
  readonly storageCapBytes: number;
  /** False where the person said `--no-open`. */
  readonly open: boolean;
};

/** What is left of an announcement until the session ends. */
export type Announcement = {
  /** Takes back the file that leads a browser to the dashboard. */
  withdraw(): void;
};

/** Tells where the dashboard is, and opens it where a person sits at the terminal. */
export function announce(
  agent: Agent,
  io: Io,
  output: Output,
  options: AnnounceOptions,
): Announcement {
  const { url, origin, token, target, expiresAt } = agent;
  output.event({ event: 'listening', url, origin, token, target, expires_at: expiresAt });
  for (const line of formatAnnouncement(agent, output, options)) output.line(line);
  if (agent.dataDirWarning !== null) output.warn(`${safeLine(agent.dataDirWarning)}.`);
  const person = !output.json && options.open && io.stdout.isTTY === true;
  const file = person ? tryWriteRedirectFile(agent) : null;
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
    return writeRedirectFile(agent.dataDir, agent.url);
  } catch {
    // A failure to open the browser is no error: the address is printed.
    return null;
  }
}

function formatAnnouncement(
  { url, target, recovered, dataDir, expiresAt }: Agent,
  { paint }: Output,
  { storageCapBytes }: AnnounceOptions,
): string[] {
  const leftMs = Math.max(0, Date.parse(expiresAt) - Date.now());
  const fields = formatFields([
    ['Open', url],
    [
      'Authorized',
      target === null
        ? 'no process (--pid names one); traces can be opened'
        : `${safeLine(target.name)}, PID ${target.pid}; nothing is recorded until you press Start`,
    ],
    ['Data', `${safeLine(dataDir)} (at most ${formatBytes(storageCapBytes)} a session)`],
    ['Ends', `in ${formatDuration(Math.ceil(leftMs / 1000) * 1000)}, at ${expiresAt}`],
    ['Stop', 'Ctrl-C, or End session in the viewer'],
  ]).map((line) => line.replace(/^\w+/, (name) => paint('bold', name)));
  if (recovered.length === 0) return fields;
  const left = recovered.map(({ path, bytes }) => `  ${safeLine(path)}  (${formatBytes(bytes)})`);
  const heading = 'Left by a session that was killed; open one with svc dashboard FILE:';
  return [...fields, '', heading, ...left];
}

const ENDINGS: Readonly<Record<Ending['reason'], string>> = {
  off: 'Ended in the viewer.',
  ttl: 'Ended: the time is over (--ttl).',
  signal: 'Ended.',
  target_exit: 'Ended: the process has exited.',
};

/**
 * The last thing reported: why the session ended, and where the recording is. `finished` is false where the end of the
 * recording was not waited for.
 */
export function tellEnding(output: Output, { reason, trace }: Ending, finished = true): void {
  output.event({ event: 'ended', reason, trace });
  output.line(ENDINGS[reason]);
  if (trace === null) return;
  const truncated = trace.truncated ? ', cut off at the storage cap' : '';
  const about = `${safeLine(trace.path)} (${formatBytes(trace.bytes)}${truncated})`;
  const whole = finished && !trace.path.endsWith('.partial');
  output.line(whole ? `Recorded ${about}.` : `The recording was left unfinished: ${about}.`);
}
