// The page without a valid token: a form for the token.
import { signal } from '@preact/signals';
import { connection, enterToken } from '../../client/session.ts';
import './token-form.css';

const pasted = signal('');
const wrong = signal(false);

export function TokenForm() {
  return (
    <main class="token-page">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          wrong.value = !enterToken(pasted.value);
        }}
      >
        <h1>Open this session</h1>
        <p>
          {connection.value === 'refused'
            ? 'The agent rejected this token. It belongs to an earlier session or to another port.'
            : 'This page has no session token. The address that svc dashboard printed contains it.'}
        </p>
        <label class="field">
          Address or token
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={pasted.value}
            onInput={(event) => {
              pasted.value = event.currentTarget.value;
              wrong.value = false;
            }}
          />
        </label>
        {wrong.value && (
          <p class="fault" role="alert">
            This text contains no token. Paste the whole address. It begins with http://127.0.0.1
          </p>
        )}
        <button type="submit" class="button primary">
          Open
        </button>
      </form>
    </main>
  );
}
