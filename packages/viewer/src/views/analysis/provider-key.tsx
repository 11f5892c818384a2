// The form for a provider’s key. The agent stores the key in the system’s keyring; the page neither shows nor keeps it.
import { useSignal } from '@preact/signals';
import { AgentError, type Provider } from '@svc/contracts/agent';
import { agent, status, take } from '../../client/session.ts';
import { notify } from '../../state/notices.ts';

type Props = { readonly provider: Provider };

export function ProviderKeyForm({ provider }: Props) {
  const keyring = status.value?.capabilities.keyring;
  switch (provider.key) {
    case 'not_needed':
      return null;
    case 'env':
      return (
        <p class="hint">
          The key for {provider.id} comes from the environment, which takes precedence.
        </p>
      );
    case 'keyring':
      return <StoredKey provider={provider} />;
    case 'none':
      if (keyring?.available !== false) return <NewKey provider={provider} />;
      return (
        <p class="note tone-warn">
          There is no key for {provider.id}, and this machine cannot store one: {keyring.reason}.
          Set it in the environment of <code>svc dashboard</code> instead.
        </p>
      );
  }
}

function StoredKey({ provider: { id } }: Props) {
  const { busy, run } = useKeyAction();
  return (
    <p class="hint">
      The key for {id} is in the system’s keyring.{' '}
      <button
        type="button"
        class="button small danger"
        disabled={busy}
        onClick={() =>
          void run(`Removed the key for ${id}.`, () =>
            agent().call('key_remove', { body: { provider: id } }),
          )
        }
      >
        Remove the key
      </button>
    </p>
  );
}

function NewKey({ provider: { id, host } }: Props) {
  const typed = useSignal('');
  const { busy, run } = useKeyAction();
  const store = async (): Promise<void> => {
    const key = typed.value.trim();
    typed.value = '';
    await agent().call('key', { body: { key, provider: id } });
  };
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        void run(`Stored the key for ${id} in the keyring.`, store);
      }}
    >
      <label class="field-inline">
        Key for {id}
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          maxLength={4096}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="submit" class="button" disabled={busy || !/^[!-~]+$/.test(typed.value.trim())}>
        Store in the keyring
      </button>
      <span class="hint">The key is stored in the system’s keyring and sent only to {host}.</span>
    </form>
  );
}

/** Runs a change of the key, reports its result in a notice, and refreshes the session's status. */
function useKeyAction() {
  const busy = useSignal(false);
  const run = async (done: string, work: () => Promise<unknown>): Promise<void> => {
    busy.value = true;
    try {
      await work();
      notify('good', done);
      take(await agent().call('status', {}));
    } catch (error) {
      notify('bad', error instanceof AgentError ? error.message : String(error));
    } finally {
      busy.value = false;
    }
  };
  return { busy: busy.value, run };
}
