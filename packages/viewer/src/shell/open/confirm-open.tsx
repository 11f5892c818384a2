// Asks for confirmation before a file replaces a trace whose notes are in this page only.
import { Dialog } from '../../controls/dialog.tsx';
import { formatPlural } from '../../format/numbers.ts';
import { exportTrace } from '../../traces/export-trace.ts';
import { openWaitingFile, waitingFile } from '../../traces/open-file.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { unexportedNotes } from '../../traces/trace-notes.ts';

export function ConfirmOpen() {
  const file = waitingFile.value;
  const count = unexportedNotes.value.length;
  const close = (): void => {
    waitingFile.value = null;
  };
  return (
    <Dialog open={file !== null} title={`Open ${file?.name ?? ''}?`} close={close}>
      <p>
        {count === 0
          ? 'The notes are exported.'
          : `It takes the place of ${mainTrace.value?.name ?? 'the open trace'}, which has ${formatPlural(count, 'change')} of notes that no file has. Export it to keep them.`}
      </p>
      <footer class="dialog-foot">
        <button
          type="button"
          class="button"
          disabled={count === 0}
          onClick={() => void exportTrace()}
        >
          Export it first
        </button>
        <span class="spring" />
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button primary" onClick={() => void openWaitingFile()}>
          Open
        </button>
      </footer>
    </Dialog>
  );
}
