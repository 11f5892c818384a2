// Recordings that a killed session left behind: where they are and how to look at them.

import { status } from '../../client/session.ts';
import { CopyButton } from '../../controls/copy-button.tsx';
import { formatBytes } from '../../format/numbers.ts';

export function Recovered() {
  const left = status.value?.recovered ?? [];
  if (left.length === 0) return null;
  return (
    <section class="card wide">
      <h2>Left behind by an earlier session</h2>
      <p>
        These recordings never got their end: the session was killed. Nothing is lost but the last
        second. Open one as a file:
      </p>
      <ul class="recovered">
        {left.map((trace) => (
          <li key={trace.path}>
            <code>{trace.path}</code>
            <span class="recovered-when">
              {formatBytes(trace.bytes)}, {new Date(trace.modified_at).toLocaleString()}
            </span>
            <CopyButton text={trace.path} what="path" />
          </li>
        ))}
      </ul>
    </section>
  );
}
