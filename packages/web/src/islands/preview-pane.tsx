// The whole page as a stranger would see it, with what stands in the form: rendered by the server, kept up while typing.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

const WAIT_MS = 250;
/** Widths that the page is laid out for, in CSS pixels; the pane shows them scaled down. */
const WIDTHS = { desktop: 1280, phone: 390 } as const;

type Width = keyof typeof WIDTHS;
type State = 'fresh' | 'loading' | 'signed-out' | 'unreachable';

/** The page in parts, as the server renders it. */
type Parts = {
  readonly theme: 'auto' | 'light' | 'dark';
  readonly colours: { readonly accent: string; readonly ink: string } | null;
  readonly body: string;
};

const WORDS: Readonly<Record<State, string>> = {
  fresh: 'As a stranger sees it. Nothing is saved by looking.',
  loading: 'Bringing it up to date …',
  'signed-out': 'Your session has ended: sign in in another tab. What you typed is still here.',
  unreachable: 'The preview is not there at the moment. What you typed is.',
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
  useEffect(() => keepUp(form, address, frame, state), []);

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
          title="The page as a stranger sees it"
          style={{
            width: `${pixels}px`,
            height: `${size.value.height / (scale || 1)}px`,
            transform: `scale(${scale})`,
          }}
        />
      </div>
      <p class="hint" role="status">
        {WORDS[state.value]}
      </p>
    </>
  );
}

/** Fetches the page a moment after each change of the form, and puts it into the frame. Returns how to stop. */
function keepUp(
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
      const told = await askPreview(form, address, signal);
      if (typeof told !== 'string') putInto(frame.current?.contentDocument ?? null, told);
      state.value = typeof told === 'string' ? told : 'fresh';
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
    frame.current?.contentDocument?.addEventListener('click', goNowhere);
    frame.current?.contentDocument?.addEventListener('submit', goNowhere);
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

/** The content, the theme and the accent, in place: the frame keeps where it was scrolled to. */
function putInto(shown: Document | null, { theme, colours, body }: Parts): void {
  const main = shown?.querySelector('main');
  if (!shown || !main) return;
  // Made by our own templates; the policy of the frame's page runs no script that is not named by its nonce.
  main.innerHTML = body;
  const root = shown.documentElement;
  if (theme === 'auto') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  root.style.setProperty('--game-accent', colours?.accent ?? '');
  root.style.setProperty('--game-accent-ink', colours?.ink ?? '');
}

/** A preview is looked at: its links and forms lead nowhere. What unfolds still does. */
function goNowhere(event: Event): void {
  const link = event.composedPath().some((one) => Reflect.get(one, 'localName') === 'a');
  if (link || event.type === 'submit') event.preventDefault();
}
