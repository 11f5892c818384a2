// A live preview of the page. The server renders the form's content after each change.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

const WAIT_MS = 250;
/** Widths of the previewed page in CSS pixels. The pane scales it down to its own width. */
const WIDTHS = { desktop: 1280, phone: 390 } as const;

type Width = keyof typeof WIDTHS;
type State = 'fresh' | 'loading' | 'signed-out' | 'unreachable';

/** The parts of the page, as the server renders them. */
type Parts = {
  readonly theme: 'auto' | 'light' | 'dark';
  readonly colours: { readonly accent: string; readonly ink: string } | null;
  readonly body: string;
};

const STATE_TEXTS: Readonly<Record<State, string>> = {
  fresh: 'The page as visitors see it. The preview does not save your changes.',
  loading: 'Updating …',
  'signed-out': 'Your session has ended. Sign in in another tab. Your input is still here.',
  unreachable: 'The preview is not available at the moment. Your input is still here.',
};

export function PreviewPane({ form, address }: { form: HTMLFormElement; address: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const width = useSignal<Width>('desktop');
  const state = useSignal<State>('loading');
  const size = useSignal({ width: 0, height: 0 });

  useEffect(() => {
    const { current } = stage;
    if (current === null) return;
    const watch = new ResizeObserver(() => {
      size.value = { width: current.clientWidth, height: current.clientHeight };
    });
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => followForm(form, address, frame, state), []);

  const pixels = WIDTHS[width.value];
  const scale = Math.min(1, size.value.width / pixels);
  const choose = (name: Width, label: string) => (
    <button
      type="button"
      aria-pressed={width.value === name}
      onClick={() => {
        width.value = name;
      }}
    >
      {label}
    </button>
  );
  return (
    <>
      <div class="preview-bar">
        <h2>Preview</h2>
        <fieldset class="switch">
          <legend class="visually-hidden">Width of the preview</legend>
          {choose('desktop', 'Desktop')}
          {choose('phone', 'Phone')}
        </fieldset>
      </div>
      <div class="preview-stage" ref={stage}>
        <iframe
          ref={frame}
          src={address}
          title="Preview of the page"
          style={{
            width: `${pixels}px`,
            height: `${size.value.height / (scale || 1)}px`,
            transform: `scale(${scale})`,
          }}
        />
      </div>
      <p class="hint" role="status">
        {STATE_TEXTS[state.value]}
      </p>
    </>
  );
}

/** Updates the frame after each change of the form. Returns a function that stops this. */
function followForm(
  form: HTMLFormElement,
  address: string,
  frame: { readonly current: HTMLIFrameElement | null },
  state: { value: State },
): () => void {
  let timer = 0;
  let running = new AbortController();
  const show = async (): Promise<void> => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    try {
      const preview = await askPreview(form, address, signal);
      if (typeof preview !== 'string') showParts(frame.current?.contentDocument ?? null, preview);
      state.value = typeof preview === 'string' ? preview : 'fresh';
    } catch {
      if (!signal.aborted) state.value = 'unreachable';
    }
  };
  const soon = (): void => {
    state.value = 'loading';
    clearTimeout(timer);
    timer = window.setTimeout(show, WAIT_MS);
  };
  const isReady = (): void => {
    frame.current?.contentDocument?.addEventListener('click', preventLeaving);
    frame.current?.contentDocument?.addEventListener('submit', preventLeaving);
    soon();
  };
  form.addEventListener('input', soon);
  form.addEventListener('change', soon);
  frame.current?.addEventListener('load', isReady);
  return () => {
    clearTimeout(timer);
    running.abort();
    form.removeEventListener('input', soon);
    form.removeEventListener('change', soon);
    frame.current?.removeEventListener('load', isReady);
  };
}

async function askPreview(
  form: HTMLFormElement,
  address: string,
  signal: AbortSignal,
): Promise<Parts | 'signed-out' | 'unreachable'> {
  const fields = [...new FormData(form)].map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const answer = await fetch(address, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'application/json' },
    signal,
  });
  if (answer.status === 401) return 'signed-out';
  return answer.ok ? await answer.json() : 'unreachable';
}

/** Replaces the content, the theme and the accent in the loaded page, so that it keeps its scroll position. */
function showParts(shown: Document | null, { theme, colours, body }: Parts): void {
  const main = shown?.querySelector('main');
  if (!shown || !main) return;
  // The HTML comes from this site's escaping templates, and the policy of the frame's page blocks scripts without its nonce.
  main.innerHTML = body;
  const root = shown.documentElement;
  if (theme === 'auto') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  root.style.setProperty('--game-accent', colours?.accent ?? '');
  root.style.setProperty('--game-accent-ink', colours?.ink ?? '');
}

/** Disables links and forms of the preview. Other clicks, such as on a disclosure, work. */
function preventLeaving(event: Event): void {
  const link = event.composedPath().some((one) => Reflect.get(one, 'localName') === 'a');
  if (link || event.type === 'submit') event.preventDefault();
}
