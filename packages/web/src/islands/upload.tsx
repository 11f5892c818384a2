// The island of the upload form: sends a folder in parts or a ZIP file, and shows the progress and the findings.
import { effect, signal } from '@preact/signals';
import type { BuildLimits } from '@svc/game-build/folder';
import { render } from 'preact';
import { type Chosen, startChoosing } from './choose-build.tsx';
import { type FolderProgress, sendFolder } from './folder/send-folder.ts';
import { field, readFindings, type Sent, sendForm, text } from './send-form.ts';
import { type BuildKind, type State, Status } from './upload-status.tsx';

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-upload]')) {
  startUpload(form);
}

function startUpload(form: HTMLFormElement): void {
  const place = form.querySelector<HTMLElement>('[data-status]');
  const state = signal<State>({ state: 'idle' });
  const kind = signal<BuildKind>('zip');
  let running: AbortController | null = null;
  const chosen = startChoosing(form, readLimits(form), () => running !== null);
  if (place === null || chosen === null) return;
  effect(() => {
    const { value } = chosen;
    state.value = value.kind === 'refused' ? stateOf(value.reason) : { state: 'idle' };
  });
  const show = (progress: FolderProgress | { state: 'sending'; share: number }): void => {
    state.value = progress;
  };
  const send = async (action: string): Promise<void> => {
    const build = chosen.peek();
    if (build.kind === 'refused') state.value = stateOf(build.reason);
    else if (build.kind === 'none') state.value = NOTHING_CHOSEN;
    if (running !== null || (build.kind !== 'zip' && build.kind !== 'folder')) return;
    running = new AbortController();
    const { signal } = running;
    const fields = new FormData(form);
    kind.value = build.kind;
    disableControls(form, true);
    keepFocus(place);
    try {
      const sent =
        build.kind === 'zip'
          ? await sendZip(action, fields, signal, show)
          : await sendFolder(folderRequest(form, action, fields, build), signal, show);
      state.value = stateOf(sent);
    } catch (error) {
      state.value = FAILED;
      throw error;
    } finally {
      keepFocus(place);
      running = null;
      disableControls(form, false);
    }
    const now = state.value;
    if (now.state === 'fine' && now.next !== null && now.findings.length === 0) {
      location.assign(now.next.address);
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { submitter } = event;
    const own =
      submitter instanceof HTMLButtonElement ? submitter.getAttribute('formaction') : null;
    void send(own ?? form.action);
  });
  render(<Status state={state} kind={kind} stop={() => running?.abort()} />, place);
}

const NOTHING_CHOSEN: State = {
  state: 'refused',
  message: 'No build is chosen. Choose a folder or a ZIP file, then try again.',
  findings: [],
};

const FAILED: State = {
  state: 'refused',
  message: 'The upload failed. Load this page again, then publish the same build.',
  findings: [],
};

function readLimits({ dataset }: HTMLFormElement): BuildLimits {
  // The store's server writes all limits into the form.
  return JSON.parse(dataset['limits'] ?? '') as BuildLimits;
}

function sendZip(
  action: string,
  fields: FormData,
  signal: AbortSignal,
  show: (progress: { state: 'sending'; share: number }) => void,
): Promise<Sent> {
  show({ state: 'sending', share: 0 });
  return sendForm(action, fields, signal, (share) => show({ state: 'sending', share }));
}

function folderRequest(
  { dataset }: HTMLFormElement,
  action: string,
  fields: FormData,
  { plan }: Extract<Chosen, { kind: 'folder' }>,
) {
  const { searchParams } = new URL(action, location.href);
  const isDry = searchParams.get('dry_run') === 'true';
  const isStaged = searchParams.get('stage') === 'true';
  const address = dataset['upload'] ?? '';
  const version = String(fields.get('version') ?? '');
  const notes = String(fields.get('notes') ?? '').replaceAll('\r\n', '\n');
  return { plan, address, version, notes, isDry, isStaged };
}

/** Nothing can be chosen or sent during an upload. */
function disableControls(form: HTMLFormElement, disabled: boolean): void {
  const controls = form.querySelectorAll<HTMLButtonElement | HTMLInputElement>(
    '.actions button, input[type=file]',
  );
  for (const control of controls) control.disabled = disabled;
}

/** Moves the focus to the status if the focused element was disabled or may be replaced in the status. */
function keepFocus(place: HTMLElement): void {
  const { activeElement } = document;
  const isLost = activeElement === null || activeElement === document.body;
  if (isLost || activeElement.matches(':disabled') || place.contains(activeElement)) place.focus();
}

function stateOf(sent: Sent): State {
  if (sent.state !== 'done') return sent;
  const { answer } = sent;
  const address = text(answer, 'next');
  const findings = readFindings(field(answer, 'findings'));
  const published = findings.length === 0 ? 'Published.' : 'Published, with these warnings:';
  return {
    state: 'fine',
    message: text(answer, 'text') ?? published,
    findings,
    next: address === null ? null : { address, name: text(answer, 'next_name') ?? 'Continue' },
  };
}
