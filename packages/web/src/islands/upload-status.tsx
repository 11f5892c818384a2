// The status of the upload form: progress with a stop button, the result, or the reason why nothing was published.
import { formatBytes } from '../html/sizes.ts';
import type { FolderProgress } from './folder/send-folder.ts';
import type { Finding, Sent } from './send-form.ts';

/** The kind of the chosen build. */
export type BuildKind = 'folder' | 'zip';

export type State =
  | { readonly state: 'idle' }
  /** A ZIP file is sent. `share` is 0 to 1. */
  | { readonly state: 'sending'; readonly share: number }
  | FolderProgress
  | {
      readonly state: 'fine';
      readonly message: string;
      readonly findings: readonly Finding[];
      /** The page to continue with; null after a check. */
      readonly next: { readonly address: string; readonly name: string } | null;
    }
  | Exclude<Sent, { state: 'done' }>;

type StatusProps = {
  readonly state: { readonly value: State };
  readonly kind: { readonly value: BuildKind };
  readonly stop: () => void;
};

export function Status({ state, kind, stop }: StatusProps) {
  const now = state.value;
  const kept =
    kind.value === 'folder'
      ? 'Your notes are still here, and what was uploaded is kept.'
      : 'Your file and your notes are still here.';
  switch (now.state) {
    case 'idle':
      return null;
    case 'reading':
      return <Progress share={now.share} text={`Reading: ${percent(now.share)}`} stop={stop} />;
    case 'sending':
      if (now.share >= 1) return <Checking stop={stop} />;
      return <Progress share={now.share} text={`Uploading: ${percent(now.share)}`} stop={stop} />;
    case 'uploading':
      return <Uploading now={now} stop={stop} />;
    case 'checking':
      return <Checking stop={stop} />;
    case 'fine':
      return <Fine now={now} />;
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
          <p>Your session has ended. Nothing was published. {kept}</p>
          <p>
            <a href="/sign-in?return_to=/signed-in" target="_blank" rel="noopener opener">
              Sign in in a new tab
            </a>
            {kind.value === 'folder'
              ? ', then publish again. The upload continues where it ended.'
              : ', then upload the build again.'}
          </p>
        </div>
      );
    case 'stopped':
      return (
        <p class="notice warn" role="status">
          Stopped. Nothing was published. {kept}
          {kind.value === 'folder' && ' To continue, publish the same folder again.'}
        </p>
      );
    case 'unreachable':
      return (
        <p class="notice bad" role="alert">
          The store can’t be reached, or the connection was lost. {kept} Try again in a moment.
        </p>
      );
  }
}

function percent(share: number): string {
  return `${Math.floor(100 * share)} %`;
}

type ProgressProps = {
  /** 0 to 1; null if it is unknown. */
  readonly share: number | null;
  readonly text: string;
  /** Announces the text to screen readers. */
  readonly isAnnounced?: boolean;
  readonly note?: string | null;
  readonly stop: () => void;
};

function Progress({ share, text, isAnnounced, note, stop }: ProgressProps) {
  return (
    <div class="progress">
      {share === null ? (
        <progress aria-label="Upload" />
      ) : (
        <progress aria-label="Upload" max={1} value={share} />
      )}
      <div>
        {isAnnounced === true ? <p role="status">{text}</p> : <p>{text}</p>}
        <p class="hint" role="status">
          {note}
        </p>
      </div>
      <button type="button" class="button quiet" onClick={stop}>
        Stop
      </button>
    </div>
  );
}

function Checking({ stop }: { stop: () => void }) {
  return <Progress share={null} text="Checking the build …" isAnnounced={true} stop={stop} />;
}

type UploadingProps = {
  readonly now: Extract<FolderProgress, { state: 'uploading' }>;
  readonly stop: () => void;
};

function Uploading({ now: { sent, total, before, isWaiting }, stop }: UploadingProps) {
  const waiting = 'The store can’t be reached. The upload continues when the connection is back.';
  if (total === 0) {
    const note = isWaiting ? waiting : null;
    return (
      <Progress share={null} text="Comparing with earlier uploads …" note={note} stop={stop} />
    );
  }
  const text = `Uploading: ${formatBytes(sent)} of ${formatBytes(total)}, ${percent(sent / total)}`;
  const continued = before > 0 ? `Continuing: ${formatBytes(before)} was already uploaded.` : null;
  return (
    <Progress share={sent / total} text={text} note={isWaiting ? waiting : continued} stop={stop} />
  );
}

function Fine({ now }: { now: Extract<State, { state: 'fine' }> }) {
  return (
    <div class="notice good" role="status">
      <p>{now.message}</p>
      <Findings findings={now.findings} />
      {now.next !== null && (
        <p>
          <a href={now.next.address}>{now.next.name}</a>
        </p>
      )}
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
