// Asks for confirmation before a capture replaces the open trace.

import { status } from '../../client/session.ts';
import { Dialog } from '../../controls/dialog.tsx';
import { exportTrace } from '../../traces/export-trace.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { hasUnexportedNotes } from '../../traces/trace-notes.ts';
import { asksToStart, start } from './session-actions.ts';

export function ConfirmStart() {
  const close = (): void => {
    asksToStart.value = false;
  };
  const name = mainTrace.value?.name ?? status.value?.trace?.name ?? 'the trace';
  return (
    <Dialog open={asksToStart.value} title="Replace the open trace?" close={close}>
      <p>
        The recording of {status.value?.target?.name ?? 'the process'} takes the place of{' '}
        <b>{name}</b> in this session. Files on disk stay as they are.
        {hasUnexportedNotes.value && ' Export it to keep its notes, which no file has.'}
      </p>
      <footer class="dialog-foot">
        <button type="button" class="button" onClick={() => void exportTrace()}>
          Export it first
        </button>
        <span class="spring" />
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button primary" onClick={() => void start()}>
          Start
        </button>
      </footer>
    </Dialog>
  );
}
