// The commands of the session with an agent.
import { capturing, connection, status } from '../../client/session.ts';
import { askToEnd, askToStart } from '../session/session-actions.ts';
import type { Command } from './commands.ts';

const connected = (): boolean => status.value !== null && connection.value !== 'ended';

export const SESSION_COMMANDS: readonly Command[] = [
  {
    name: 'Start the capture',
    key: 's',
    group: 'Session',
    run: askToStart,
    ready: () => status.value?.target != null && !capturing.value && connected(),
  },
  { name: 'End the session', key: '', group: 'Session', run: askToEnd, ready: connected },
];
