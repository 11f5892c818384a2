// Asks for confirmation before the session ends, because the agent closes for every window.

import { capturing, status } from '../../client/session.ts';
import { Dialog } from '../../controls/dialog.tsx';
import { hasUnexportedNotes } from '../../traces/trace-notes.ts';
import { asksToEnd, end } from './session-actions.ts';

export function ConfirmEnd() {
  const close = (): void => {
    asksToEnd.value = false;
  };
  return (
    <Dialog open={asksToEnd.value} title="End the session?" close={close}>
      <p>
        {capturing.value
          ? 'The recording is finished and kept on disk, then the agent closes.'
          : 'The agent closes.'}{' '}
        {status.value?.launched === true && 'Then svc ends the program that it has started. '}
        What this page has read stays here until you close it.
        {hasUnexportedNotes.value &&
          !capturing.value &&
          ' The trace has notes that no file has. Export it to keep them.'}
      </p>
      <footer class="dialog-foot">
        <span class="spring" />
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button danger" onClick={() => void end()}>
          End session
        </button>
      </footer>
    </Dialog>
  );
}
