// A banner below the bar if the connection is lost, the session has ended, a child does the work of the process, or a
// probe has a warning.

import { connection, status } from '../../client/session.ts';
import { CopyButton } from '../../controls/copy-button.tsx';
import { formatBytes } from '../../format/numbers.ts';

const ENDINGS = {
  off: 'It was ended from the dashboard.',
  ttl: 'Its time limit was reached.',
  signal: 'It was stopped from its terminal.',
  target_exit: 'The recorded process exited.',
} as const;

export function SessionBanner() {
  if (connection.value === 'ended') return <Ended />;
  if (connection.value === 'lost') {
    return (
      <div class="banner tone-bad" role="alert">
        <div>
          <b>Connection lost.</b> The agent does not respond. It may have ended. This page keeps
          trying. What it has loaded stays usable and can be exported.
        </div>
      </div>
    );
  }
  if (connection.value === 'polling') {
    return (
      <div class="banner tone-warn" role="status">
        <div>
          <b>No live connection.</b> The agent updates at most{' '}
          {status.value?.limits.live_clients ?? 4} windows at a time. Close one. Until then this
          page is updated every few seconds.
        </div>
      </div>
    );
  }
  return <Warnings />;
}

function Ended() {
  const ending = status.value?.ended ?? null;
  const trace = ending?.trace ?? null;
  return (
    <div class="banner tone-info" role="alert">
      <div>
        <b>The session has ended.</b> {ending === null ? '' : ENDINGS[ending.reason]}{' '}
        {trace === null ? (
          'Nothing was recorded.'
        ) : (
          <>
            The recording ({formatBytes(trace.bytes)}
            {trace.truncated ? ', truncated' : ''}) is in <code>{trace.path}</code>
          </>
        )}
      </div>
      {trace !== null && <CopyButton text={trace.path} what="path" />}
    </div>
  );
}

function Warnings() {
  const { target = null, busy_child: child = null } = status.value ?? {};
  const probes =
    status.value?.probes.filter(
      ({ id, state, reason }) =>
        state === 'warning' ||
        state === 'failed' ||
        (state === 'running' && reason !== undefined && id !== 'pss') ||
        (state === 'unavailable' && id !== 'pss'),
    ) ?? [];
  const busy = target === null || child === null ? null : { name: target.name, child };
  if (probes.length === 0 && busy === null) return null;
  return (
    <div class="banner tone-warn" role="status">
      <ul>
        {busy !== null && (
          <li>
            <b>{busy.name} is idle.</b> Its child {busy.child.name} (PID {busy.child.pid}) uses{' '}
            {busy.child.cpu_percent} % of a core and is not recorded. To record it, start svc again
            with <code>--child {busy.child.name}</code>
          </li>
        )}
        {probes.map((probe) => (
          <li key={probe.id}>
            <b>{probe.id}</b>: {probe.reason ?? probe.state}
          </li>
        ))}
      </ul>
    </div>
  );
}
