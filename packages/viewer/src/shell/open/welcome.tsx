// What the page shows while there is no trace: what can be done next.

import { capturing, connection, status } from '../../client/session.ts';
import { pickFile } from '../../controls/pick-file.ts';
import { startNote } from '../../format/probe-note.ts';
import { openFile } from '../../traces/open-file.ts';
import { askToStart } from '../session/session-actions.ts';
import { Recovered } from './recovered.tsx';
import './welcome.css';

export function Welcome() {
  const session = status.value;
  const target = session?.target ?? null;
  const ahead = session === null ? null : startNote(session);
  return (
    <div class="welcome">
      {capturing.value ? (
        <p class="lead">Waiting for the first sample…</p>
      ) : target !== null && connection.value !== 'ended' ? (
        <section class="card">
          <h2>
            Ready to record {target.name} <small>pid {target.pid}</small>
          </h2>
          <p>
            Nothing is measured until you press Start. Then {ahead?.measures}; the recording stays
            on this machine.
          </p>
          {ahead?.unavailable.map((text) => (
            <p key={text} class="hint">
              {text}
            </p>
          ))}
          {session?.capabilities.capture.available ? (
            <button type="button" class="button primary large" onClick={askToStart}>
              Start
            </button>
          ) : (
            <p class="fault">
              {session?.capabilities.capture.reason ?? 'Capture is not available here.'}
            </p>
          )}
        </section>
      ) : (
        <section class="card">
          <h2>Record a process</h2>
          <p>
            No process is authorized in this session. Begin one for the process you want to watch:
          </p>
          <pre class="command">svc dashboard --pid PID</pre>
        </section>
      )}
      <section class="card">
        <h2>Open a trace</h2>
        <p>
          Drop a <code>.vpt</code> recording or folded stacks (<code>.folded</code>, from{' '}
          <code>perf</code>, <code>bpftrace</code>, <code>inferno</code>, …) anywhere on this page.
          It is read here; nothing leaves this machine.
        </p>
        <button type="button" class="button large" onClick={() => pickFile(openFile)}>
          Open a file…
        </button>
      </section>
      <section class="card">
        <h2>Measure a browser game</h2>
        <p>
          Put <code>@svc/collector</code> into the game’s page. It notes frames, long tasks and
          assets, and saves a <code>.vpt</code> that you open here.
        </p>
      </section>
      <Recovered />
    </div>
  );
}
