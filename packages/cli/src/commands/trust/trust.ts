// `svc trust …`: CI runs that may publish a game without a stored token.
import type { GroupSpec } from '../../command-line/define-command.ts';
import { addPublisherCommand } from './add.ts';
import { listPublishersCommand } from './list.ts';
import { removePublisherCommand } from './remove.ts';

export const trustGroup: GroupSpec = {
  name: 'trust',
  summary: 'Let a CI publish the game without a stored token',
  commands: [listPublishersCommand, addPublisherCommand, removePublisherCommand],
};
