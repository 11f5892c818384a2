// Shows the notices at the lower edge of the page.
import { HandCopy } from '../controls/hand-copy.tsx';
import { dismiss, notices } from '../state/notices.ts';

export function Notices() {
  return (
    <div class="notices" role="log" aria-live="polite" aria-label="Messages">
      {notices.value.map((notice) => (
        <div key={notice.id} class={`notice tone-${notice.tone}`}>
          <span>
            {notice.text}
            {notice.copy !== null && <HandCopy {...notice.copy} />}
          </span>
          <button
            type="button"
            class="button quiet small"
            aria-label="Dismiss"
            onClick={() => dismiss(notice.id)}
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
