// The agent as the host of the page's files: it receives them, unless it is recording.
import { status } from '../client/session.ts';
import type { FileHost } from './open-file.ts';
import { sendFile } from './send-file.ts';

export const agentFiles: FileHost = {
  refuse() {
    if (status.value?.state !== 'capturing') return null;
    const message =
      'A capture is running. End it before you open a file, or open the file in Compare.';
    return { code: 'agent', message, line: null, column: null };
  },
  take: sendFile,
};
