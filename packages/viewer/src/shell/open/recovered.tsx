// Lists recordings of killed sessions, with their paths.

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
        These recordings have no end because their session was killed. At most the last second is
        lost. Open one as a file:
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
