// Asks before the page is closed while it has notes that neither a file nor the agent has.
import { wouldLoseNotes } from '../traces/trace-notes.ts';

export function guardNotes(): void {
  addEventListener('beforeunload', (event) => {
    if (wouldLoseNotes.value) event.preventDefault();
  });
}
