// The buttons of the session in the bar: Start and End session.
import { capturing, connection, status } from '../../client/session.ts';
import { askToEnd, askToStart } from './session-actions.ts';

export function SessionButtons() {
  if (connection.value === 'ended' || status.value === null) return null;
  const { target, capabilities } = status.value;
  return (
    <span class="bar-group">
      {target !== null && !capturing.value && (
        <button
          type="button"
          class="button primary"
          disabled={!capabilities.capture.available}
          title={capabilities.capture.reason ?? `Record ${target.name} once a second (S)`}
          onClick={askToStart}
        >
          Start
        </button>
      )}
      <button
        type="button"
        class="button"
        onClick={askToEnd}
        title="Finish the recording and close the agent"
      >
        End session
      </button>
    </span>
  );
}
