// The last question to a model: its answer or error, and what was sent.
import { ANALYSIS_INSTRUCTION } from '@svc/contracts/agent';
import { CopyButton } from '../../controls/copy-button.tsx';
import { formatCount } from '../../format/numbers.ts';
import { question as last, type Question } from './analysis-state.ts';
import { SentText } from './sent-text.tsx';

export function LastQuestion({ question }: { readonly question: Question }) {
  const { state, model, host } = question;
  return (
    <section class="asked" aria-label="Answer of a model">
      <header class="toolbar">
        <h2 class="wrap-anywhere">{model}</h2>
        <span class="hint">
          {host}, {question.sentAt.toLocaleTimeString()}, about {question.trace}
        </span>
        <span class="spring" />
        {state.kind === 'waiting' ? (
          <button type="button" class="button small" onClick={() => state.cancel.abort()}>
            Cancel
          </button>
        ) : (
          <button
            type="button"
            class="button small"
            onClick={() => {
              last.value = null;
            }}
          >
            Dismiss
          </button>
        )}
      </header>
      <div aria-live="polite">
        {state.kind === 'waiting' && (
          <p>
            <progress aria-label={`Waiting for ${host}`} /> Waiting for {host}, 20 seconds at most.
          </p>
        )}
        {state.kind === 'failed' && (
          <p class="note tone-warn" role="alert">
            {state.message}{' '}
            {state.sent ? 'The text below may have been sent.' : 'Nothing was sent.'}
          </p>
        )}
        {state.kind === 'answered' && <Answer text={state.answer.text ?? ''} />}
      </div>
      {(state.kind !== 'failed' || state.sent) && <Sent question={question} />}
    </section>
  );
}

/** The answer of a model, shown as plain text because it is untrusted. */
function Answer({ text }: { readonly text: string }) {
  if (text.trim() === '') return <p class="hint">The model returned no text.</p>;
  return (
    <>
      <p class="answer">{text}</p>
      <CopyButton text={text} what="answer" />
    </>
  );
}

function Sent({ question }: { readonly question: Question }) {
  const { summary } = question;
  return (
    <details>
      <summary>
        What was sent: the instruction and {formatCount(summary.bytes)} bytes of summary
      </summary>
      <SentText label="Instruction that was sent" text={ANALYSIS_INSTRUCTION} />
      <SentText label="Summary that was sent" text={summary.text} />
    </details>
  );
}
