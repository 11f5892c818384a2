// The page without a trace: start a capture, open a file, or measure a browser game.
import { capturing, connection, status } from '../../client/session.ts';
import { pickFile } from '../../controls/pick-file.ts';
import { startNote } from '../../format/probe-note.ts';
import { openFile } from '../../traces/open-file.ts';
import { askToStart } from '../session/session-actions.ts';
import { Recovered } from './recovered.tsx';
import './welcome.css';

export function Welcome() {
  return (
    <div class="welcome">
      {capturing.value ? <p class="lead">Waiting for the first sample…</p> : <RecordCard />}
      <section class="card">
        <h2>Open a trace</h2>
        <p>
          Drop a <code>.vpt</code> recording, a trace of Chrome’s Performance panel (
          <code>.json</code>, <code>.json.gz</code>), a V8 CPU profile (<code>.cpuprofile</code>), a
          frame log (<code>.csv</code>, from MangoHud, PresentMon, Unreal Engine or Godot) or folded
          stacks (<code>.folded</code>, from <code>perf</code>, <code>bpftrace</code>,{' '}
          <code>inferno</code>, …) anywhere on this page. This page reads it. Nothing leaves this
          machine.
        </p>
        <button type="button" class="button large" onClick={() => pickFile(openFile)}>
          Open a file…
        </button>
      </section>
      <section class="card">
        <h2>Measure a browser game</h2>
        <p>
          Add <code>@svc/collector</code> to the game’s page. It records frames, long tasks and
          assets, and saves a <code>.vpt</code> file that you open here.
        </p>
      </section>
      <Recovered />
    </div>
  );
}

function RecordCard() {
  const session = status.value;
  if (session?.target == null || connection.value === 'ended') return <NoProcess />;
  const { target, capabilities } = session;
  const { measures, unavailable } = startNote(session);
  return (
    <section class="card">
      <h2>
        Ready to record {target.name} <small>pid {target.pid}</small>
      </h2>
      <p>
        Nothing is measured until you press Start. Then {measures}. The recording stays on this
        machine.
      </p>
      {unavailable.map((text) => (
        <p key={text} class="hint">
          {text}
        </p>
      ))}
      {capabilities.capture.available ? (
        <button type="button" class="button primary large" onClick={askToStart}>
          Start
        </button>
      ) : (
        <p class="fault">{capabilities.capture.reason ?? 'Capture is not available here.'}</p>
      )}
    </section>
  );
}

function NoProcess() {
  return (
    <section class="card">
      <h2>Record a process</h2>
      <p>
        This session has no process to record. Start a session for a game that runs, or let svc
        start the game:
      </p>
      <pre class="command">svc dashboard --name my-game</pre>
      <pre class="command">svc dashboard --start -- ./my-game</pre>
    </section>
  );
}
