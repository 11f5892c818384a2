// The island of the upload form: accepts a dropped ZIP file, shows the progress with a stop button, and lists the findings.
import { signal } from '@preact/signals';
import { render } from 'preact';
import { acceptDrops } from './accept-drops.ts';
import { type Finding, field, readFindings, type Sent, sendForm, text } from './send-form.ts';

type State =
  | { readonly state: 'idle' }
  | { readonly state: 'sending'; readonly share: number }
  | {
      readonly state: 'fine';
      readonly message: string;
      readonly findings: readonly Finding[];
      readonly next: string | null;
    }
  | Exclude<Sent, { state: 'done' }>;

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-upload]')) {
  startUpload(form);
}

function startUpload(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[type=file]');
  const place = form.querySelector<HTMLElement>('[data-status]');
  if (input === null || place === null) return;
  const state = signal<State>({ state: 'idle' });
  let running = new AbortController();
  acceptDrops(form, (files) => {
    input.files = files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  });
  const send = async (action: string): Promise<void> => {
    running = new AbortController();
    state.value = { state: 'sending', share: 0 };
    disableButtons(form, true);
    const sent = await sendForm(action, new FormData(form), running.signal, (share) => {
      state.value = { state: 'sending', share };
    });
    disableButtons(form, false);
    state.value = sent.state === 'done' ? readVerdict(sent.answer) : sent;
    const next = state.value.state === 'fine' ? state.value.next : null;
    if (next !== null && state.value.state === 'fine' && state.value.findings.length === 0) {
      location.assign(next);
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { submitter } = event;
    const own =
      submitter instanceof HTMLButtonElement ? submitter.getAttribute('formaction') : null;
    void send(own ?? form.action);
  });
  render(<Status state={state} stop={() => running.abort()} />, place);
}

function disableButtons(form: HTMLFormElement, disabled: boolean): void {
  for (const button of form.querySelectorAll<HTMLButtonElement>('.actions button')) {
    button.disabled = disabled;
  }
}

function readVerdict(answer: unknown): State {
  return {
    state: 'fine',
    message: text(answer, 'text') ?? 'Published.',
    findings: readFindings(field(answer, 'findings')),
    next: text(answer, 'next'),
  };
}

function Status({ state, stop }: { state: { readonly value: State }; stop: () => void }) {
  const now = state.value;
  switch (now.state) {
    case 'idle':
      return null;
    case 'sending':
      return <Progress share={now.share} stop={stop} />;
    case 'fine':
      return (
        <div class="notice good" role="status">
          <p>{now.message}</p>
          <Findings findings={now.findings} />
          {now.next !== null && (
            <p>
              <a href={now.next}>Continue</a>
            </p>
          )}
        </div>
      );
    case 'refused':
      return (
        <div class="notice bad" role="alert">
          <p>{now.message}</p>
          <Findings findings={now.findings} />
        </div>
      );
    case 'signed-out':
      return (
        <div class="notice bad" role="alert">
          <p>
            Your session has ended. Nothing was published. Your file and your notes are still here.
          </p>
          <p>
            <a href="/sign-in?return_to=/signed-in" target="_blank" rel="noopener opener">
              Sign in in a new tab
            </a>
            , then upload the build again.
          </p>
        </div>
      );
    case 'stopped':
      return (
        <p class="notice warn" role="status">
          Stopped. Nothing was published. Your file and your notes are still here.
        </p>
      );
    case 'unreachable':
      return (
        <p class="notice bad" role="alert">
          The store can’t be reached, or the connection was lost. Your file and your notes are still
          here. Try again in a moment.
        </p>
      );
  }
}

function Progress({ share, stop }: { share: number; stop: () => void }) {
  const isSent = share >= 1;
  return (
    <div class="progress">
      {isSent ? (
        <progress aria-label="Upload" />
      ) : (
        <progress aria-label="Upload" max={1} value={share} />
      )}
      {isSent ? (
        <p role="status">Checking the build …</p>
      ) : (
        <p>{`Uploading: ${Math.floor(100 * share)} %`}</p>
      )}
      <button type="button" class="button quiet" onClick={stop}>
        Stop
      </button>
    </div>
  );
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul class="findings">
      {findings.map(({ entry, message, hint }) => (
        <li>
          {entry !== null && <code>{entry}</code>}
          <span>{message}</span>
          {hint !== null && <span class="hint">{hint}</span>}
        </li>
      ))}
    </ul>
  );
}
