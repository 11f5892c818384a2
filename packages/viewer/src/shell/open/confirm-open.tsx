// Asks for confirmation before another trace takes the place of one that has notes which no file has.
import { Dialog } from '../../controls/dialog.tsx';
import { exportTrace } from '../../traces/export-trace.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { answerReplacement, replacement } from '../../traces/replacement.ts';
import { hasUnexportedNotes } from '../../traces/trace-notes.ts';

export function ConfirmOpen() {
  const other = replacement.value;
  const wouldLose = hasUnexportedNotes.value;
  const cancel = (): void => answerReplacement('cancel');
  return (
    <Dialog open={other !== null} title={`Open ${other?.name ?? ''}?`} close={cancel}>
      <p class="wrap-anywhere">
        {wouldLose
          ? `It takes the place of ${mainTrace.value?.name ?? 'the open trace'}, which has notes that no file has. Export it to keep them.`
          : 'The notes are exported.'}
      </p>
      <footer class="dialog-foot">
        <button
          type="button"
          class="button"
          disabled={!wouldLose}
          onClick={() => void exportTrace()}
        >
          Export it first
        </button>
        <span class="spring" />
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
        <button type="button" class="button primary" onClick={() => answerReplacement('open')}>
          Open
        </button>
      </footer>
    </Dialog>
  );
}
