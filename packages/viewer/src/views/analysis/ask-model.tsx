// Asking a model: choose the provider, model and key, read what will be sent, and agree to it.
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
/** The summary and model that the user agreed to send. Consent covers one question with exactly these bytes. */
const agreed = signal<string | null>(null);

export function AskModel({ shown }: { readonly shown: Derived }) {
  const providers = status.value?.capabilities.analysis_provider.providers ?? [];
  const canAsk = connection.value !== 'ended' && providers.length > 0;
  return (
    <section class="ask-model" aria-label="Ask a model">
      <h2>Ask a model</h2>
      {canAsk ? <Form shown={shown} providers={providers} /> : <NoAgent />}
    </section>
  );
}

function NoAgent() {
  return (
    <p class="hint">
      Only the agent can ask a model, and it has ended. Start <code>svc dashboard</code> again, or
      run <code>svc trace analyze FILE --model PROVIDER/MODEL</code>.
    </p>
  );
}

type FormProps = { readonly shown: Derived; readonly providers: readonly Provider[] };

function Form({ shown, providers }: FormProps) {
  const provider = chosenOf(providers);
  return (
    <>
      <p class="hint">
        Sends the summary below to a provider of your choice, and nowhere else. Nothing is sent
        until you press Send.
      </p>
      <div class="toolbar">
        <ProviderChoice chosen={provider} providers={providers} />
        <ModelName />
      </div>
      {/* The key makes a new form for each provider, so that a typed key never goes to another one. */}
      <ProviderKeyForm key={provider.id} provider={provider} />
      <Preview shown={shown} provider={provider} />
      <Consent shown={shown} provider={provider} ready={provider.key !== 'none'} />
    </>
  );
}

type ChoiceProps = { readonly chosen: Provider; readonly providers: readonly Provider[] };

function ProviderChoice({ chosen, providers }: ChoiceProps) {
  return (
    <label class="field-inline">
      Provider
      <select
        value={chosen.id}
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
  );
}

function ModelName() {
  return (
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
  );
}

const KEYS = {
  env: 'key from the environment',
  keyring: 'key in the keyring',
  none: 'no key',
  not_needed: 'needs no key',
} as const;

/** Returns the chosen provider, else the first one with a key, else the first one. */
function chosenOf(providers: readonly Provider[]): Provider {
  const found =
    providers.find(({ id }) => id === providerId.value) ??
    providers.find(({ key }) => key === 'env' || key === 'keyring') ??
    providers[0];
  if (found === undefined) throw new Error('The agent offers no provider');
  return found;
}

type About = { readonly shown: Derived; readonly provider: Provider };

/** Everything that will be sent. */
function Preview({ shown, provider }: About) {
  const { text, bytes, leftOut } = shown.summary;
  return (
    <>
      <h3>What {provider.host} would receive</h3>
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
        {leftOut} The model’s name{provider.key === 'not_needed' ? ' is' : ' and your key are'} sent
        with it. No file, log text or path is sent.
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
  const missing = missingStep({ ready, name, old, waiting });
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
        I have read what will be sent, and allow sending it to <b>{provider.host}</b>.
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

/** Returns what must happen before a question can be sent; null if nothing. */
function missingStep(at: {
  ready: boolean;
  name: string;
  old: boolean;
  waiting: boolean;
}): string | null {
  if (at.waiting) return 'One question at a time.';
  if (!at.ready) return 'This provider needs a key first.';
  if (at.name === '') return 'Enter a model first.';
  return at.old ? 'The trace has grown. Analyze it again to see what would be sent now.' : null;
}
