// The analysis view: the findings of the rules.
import type { ComponentType } from 'preact';
import { Empty } from '../../controls/empty.tsx';
import { formatMs } from '../../format/numbers.ts';
import { budgetMs } from '../../state/address.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import './analysis.css';
import { analysisFault, analyzeHere, analyzing, type Derived, derived } from './analysis-state.ts';
import { FindingCard } from './finding-card.tsx';

type Props = {
  /** What the page shows below the findings. */
  readonly AfterFindings?: ComponentType<{ readonly shown: Derived | null }> | undefined;
};

export function AnalysisView({ AfterFindings }: Props) {
  const shown = current();
  return (
    <div class="analysis">
      <div class="toolbar">
        <button
          type="button"
          class={shown === null ? 'button primary' : 'button'}
          disabled={analyzing.value}
          onClick={() => void analyzeHere()}
        >
          {shown === null ? 'Analyze' : 'Analyze again'}
        </button>
        <p class="hint" role="status">
          {analyzing.value ? 'Looking through the trace…' : statusText(shown)}
        </p>
      </div>
      {analysisFault.value !== null && (
        <p class="note tone-warn" role="alert">
          Cannot analyze this trace: {analysisFault.value}
        </p>
      )}
      {shown === null ? <NotYet /> : <Findings shown={shown} />}
      {AfterFindings !== undefined && <AfterFindings shown={shown} />}
    </div>
  );
}

/** Returns the analysis of the open trace, or null if it is about another one. */
function current(): Derived | null {
  const { value } = derived;
  const trace = mainTrace.value;
  if (value === null || trace === null) return null;
  const { name, origin, startedAt } = value.of;
  const same = name === trace.name && origin === trace.origin && startedAt === trace.startedAt;
  return same ? value : null;
}

function statusText(shown: Derived | null): string {
  if (shown === null) return 'Rules that run in this page. Nothing is sent.';
  const old = shown.of.revision !== mainTrace.value?.revision || shown.of !== mainTrace.value;
  const count = shown.findings.length === 1 ? '1 finding' : `${shown.findings.length} findings`;
  const budget = `for frames of ${formatMs(shown.budgetMs)}`;
  if (shown.budgetMs !== budgetMs.value) return `${count} ${budget}; the budget has changed since.`;
  return old ? `${count} ${budget}; the trace has grown since.` : `${count} ${budget}.`;
}

function NotYet() {
  return (
    <Empty title="Not analyzed yet">
      Analyze looks for frames over budget and their rhythm, assets that cause hitches, growing
      memory, hot functions, and gaps in the recording. It runs in this page, and nothing is sent.
    </Empty>
  );
}

function Findings({ shown }: { readonly shown: Derived }) {
  if (shown.findings.length === 0) {
    return (
      <Empty title="Nothing stands out">
        No rule found anything in this trace. A longer recording, or one with the collector in your
        game’s page, shows more.
      </Empty>
    );
  }
  return (
    <ol class="findings" aria-label="Findings, worst first">
      {shown.findings.map((finding) => (
        <FindingCard key={finding.id} finding={finding} />
      ))}
    </ol>
  );
}
