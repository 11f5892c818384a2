// Asking a model: which one, whose key, every byte that would be sent, and then a yes.
import { signal } from '@preact/signals';
import { ANALYSIS_INSTRUCTION, type Provider } from '@svc/contracts/agent';
import { connection, status } from '../../client/session.ts';
import { CopyButton } from '../../controls/copy-button.tsx';
import { formatCount } from '../../format/numbers.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { askModel, type Derived, question } from './analysis-state.ts';
import { ProviderKeyForm } from './provider-key.tsx';
import { SentText } from './sent-text.tsx';

const providerId = signal('');
const modelName = signal('');
/** What was looked at and agreed to: consent is for these very bytes, to this model, once. */
const agreed = signal<string | null>(null);

export function AskModel({ shown }: { readonly shown: Derived }) {
  const providers = status.value?.capabilities.analysis_provider.providers ?? [];
  if (connection.value === 'ended' || status.value === null || providers.length === 0) {
    return (
      <section class="ask-model" aria-label="Ask a model">
        <h2>Ask a model</h2>
        <p class="hint">
          A model is asked by the agent, which has ended. Start <code>svc dashboard</code> again, or{' '}
          <code>svc trace analyze FILE --model PROVIDER/MODEL</code>.
        </p>
      </section>
    );
  }
  const provider = chosenOf(providers);
  const ready = provider.key !== 'none';
  return (
    <section class="ask-model" aria-label="Ask a model">
      <h2>Ask a model</h2>
      <p class="hint">
        Sends the summary below to a provider of your choice, and nowhere else. Nothing is sent
        until you press Send.
      </p>
      <div class="toolbar">
        <label class="field-inline">
          Provider
          <select
            value={provider.id}
            onChange={(event) => {
              providerId.value = event.currentTarget.value;
            }}
          >
            {providers.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id} ({KEYS[one.key]})
              </option>
            ))}
          </select>
        </label>
        <label class="field-inline">
          Model
          <input
            type="text"
            class="model-name"
            spellcheck={false}
            autocomplete="off"
            maxLength={200}
            placeholder="the model’s id at this provider"
            value={modelName.value}
            onInput={(event) => {
              modelName.value = event.currentTarget.value;
            }}
          />
        </label>
      </div>
      {/* Keyed: what was typed for one provider must not become the key of another. */}
      <ProviderKeyForm key={provider.id} provider={provider} />
      <Preview shown={shown} provider={provider} />
      <Consent shown={shown} provider={provider} ready={ready} />
    </section>
  );
}

const KEYS = {
  env: 'key from the environment',
  keyring: 'key in the keyring',
  none: 'no key',
  not_needed: 'needs no key',
} as const;

/** The one that was chosen, else the first that can be asked. */
function chosenOf(providers: readonly Provider[]): Provider {
  const found =
    providers.find(({ id }) => id === providerId.value) ??
    providers.find(({ key }) => key === 'env' || key === 'keyring') ??
    providers[0];
  if (found === undefined) throw new Error('there is no provider');
  return found;
}

type About = { readonly shown: Derived; readonly provider: Provider };

/** The whole of what is sent. */
function Preview({ shown, provider }: About) {
  const { text, bytes, leftOut } = shown.summary;
  return (
    <>
      <h3>What {provider.host} would get</h3>
      <dl class="sent-parts">
        <dt>Instruction</dt>
        <dd>
          <SentText label="Instruction" text={ANALYSIS_INSTRUCTION} />
        </dd>
        <dt>
          Summary, {formatCount(bytes)} bytes <CopyButton text={text} what="summary" />
        </dt>
        <dd>
          <SentText label="Summary" text={text} />
        </dd>
      </dl>
      <p class="hint">
        {leftOut.length === 0
          ? 'Nothing was left out for room.'
          : `Left out for room: ${leftOut.map(({ part, count }) => `${formatCount(count)} of “${part}”`).join(', ')}.`}{' '}
        Beside it go the model’s name{provider.key === 'not_needed' ? '' : ' and your key'}; no file
        of yours, no log text, no path.
      </p>
    </>
  );
}

function Consent({ shown, provider, ready }: About & { readonly ready: boolean }) {
  const name = modelName.value.trim();
  const subject = `${provider.id}/${name}@${shown.summary.sha256}`;
  const consents = agreed.value === subject;
  const waiting = question.value?.state.kind === 'waiting';
  const old = shown.of.bytes !== mainTrace.value?.bytes;
  const missing = why({ ready, name, old, waiting });
  return (
    <div class="consent">
      <label>
        <input
          type="checkbox"
          checked={consents}
          onChange={(event) => {
            agreed.value = event.currentTarget.checked ? subject : null;
          }}
        />{' '}
        I have seen what is sent, and it may go to <b>{provider.host}</b>.
      </label>
      <button
        type="button"
        class="button primary"
        disabled={!consents || missing !== null}
        onClick={() => {
          agreed.value = null;
          void askModel(`${provider.id}/${name}`, provider.host, shown);
        }}
      >
        Send to {provider.host}
      </button>
      <span class="hint" role="status">
        {missing ?? ''}
      </span>
    </div>
  );
}

function why(at: { ready: boolean; name: string; old: boolean; waiting: boolean }): string | null {
  if (at.waiting) return 'One question at a time.';
  if (!at.ready) return 'This provider needs a key first.';
  if (at.name === '') return 'Name a model first.';
  return at.old ? 'The trace has grown: analyze again to see what would be sent now.' : null;
}
