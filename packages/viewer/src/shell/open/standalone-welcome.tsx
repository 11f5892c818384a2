// The page without an agent and without a trace: what it does, where traces come from, and the next step.
import { pickFile } from '../../controls/pick-file.ts';
import { openFile } from '../../traces/open-file.ts';
import './welcome.css';

export function StandaloneWelcome() {
  return (
    <div class="welcome">
      <section class="card wide">
        <h2>See why a game hitches</h2>
        <p>
          Open a recording. This page shows its timeline, each frame over budget, flame graphs and
          the cost of each asset, and its analysis lists what is slow, worst first. Drop two files
          to compare them.
        </p>
        <button type="button" class="button primary large" onClick={() => pickFile(openFile)}>
          Open a file…
        </button>
        <p class="hint">
          You can also drop a file anywhere on this page, or paste one.{' '}
          <b>Nothing leaves this computer:</b> the page reads files in your browser, its content
          security policy forbids every connection, and it works without a network.
        </p>
      </section>
      <section class="card wide">
        <h2>Where recordings come from</h2>
        <Sources />
      </section>
    </div>
  );
}

function Sources() {
  return (
    <dl class="sources">
      <div>
        <dt>A browser game, unchanged</dt>
        <dd>
          <code>svc record DIR</code> writes a <code>.vpt</code> file.
        </dd>
      </div>
      <div>
        <dt>A browser game that records itself</dt>
        <dd>
          <code>@svc/collector</code> in its page saves a <code>.vpt</code> file.
        </dd>
      </div>
      <div>
        <dt>A process on your machine</dt>
        <dd>
          <code>svc dashboard --pid PID</code> records it. Export saves a <code>.vpt</code> file.
        </dd>
      </div>
      <div>
        <dt>Chrome</dt>
        <dd>
          The Performance panel saves a <code>.json</code> or <code>.json.gz</code> file.
        </dd>
      </div>
      <div>
        <dt>Node</dt>
        <dd>
          <code>node --cpu-prof game.js</code> writes a <code>.cpuprofile</code> file.
        </dd>
      </div>
      <div>
        <dt>MangoHud, PresentMon, Unreal Engine, Godot</dt>
        <dd>
          Their frame logs in a <code>.csv</code> file.
        </dd>
      </div>
      <div>
        <dt>perf, bpftrace and others</dt>
        <dd>
          Their folded stacks, for example of <code>inferno</code>, in a <code>.folded</code> file.
        </dd>
      </div>
    </dl>
  );
}
