// A provider's key: handed to the agent, which puts it into the OS keyring; never shown again, never kept in the page.
import { useSignal } from '@preact/signals';
import { AgentError, type Provider } from '@svc/contracts/agent';
import { agent, status, take } from '../../client/session.ts';
import { notify } from '../../state/notices.ts';

export function ProviderKeyForm({ provider }: { readonly provider: Provider }) {
  const typed = useSignal('');
  const busy = useSignal(false);
  const keyring = status.value?.capabilities.keyring;
  const act = async (done: string, work: () => Promise<void>): Promise<void> => {
    busy.value = true;
    try {
      await work();
      notify('good', done);
      take(await agent().status());
    } catch (error) {
      notify('bad', error instanceof AgentError ? error.message : String(error));
    } finally {
      busy.value = false;
    }
  };
  if (provider.key === 'not_needed') return null;
  if (provider.key === 'env') {
    return <p class="hint">The key for {provider.id} comes from the environment, and wins.</p>;
  }
  if (provider.key === 'keyring') {
    const remove = (): Promise<void> => agent().removeKey({ provider: provider.id });
    return (
      <p class="hint">
        The key for {provider.id} is in the system’s keyring.{' '}
        <button
          type="button"
          class="button small danger"
          disabled={busy.value}
          onClick={() => void act(`Removed the key for ${provider.id}.`, remove)}
        >
          Remove the key
        </button>
      </p>
    );
  }
  if (keyring?.available === false) {
    return (
      <p class="note tone-warn">
        No key for {provider.id}, and none can be kept here: {keyring.reason}. Set it in the
        environment of <code>svc dashboard</code> instead.
      </p>
    );
  }
  const store = async (): Promise<void> => {
    const key = typed.value.trim();
    typed.value = '';
    await agent().storeKey({ key, provider: provider.id });
  };
  return (
    <form
      class="toolbar"
      onSubmit={(event) => {
        event.preventDefault();
        void act(`Kept the key for ${provider.id} in the keyring.`, store);
      }}
    >
      <label class="field-inline">
        Key for {provider.id}
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
      <button
        type="submit"
        class="button"
        disabled={busy.value || !/^[!-~]+$/.test(typed.value.trim())}
      >
        Keep in the keyring
      </button>
      <span class="hint">
        It goes to the system’s keyring, and from there to {provider.host} only.
      </span>
    </form>
  );
}
