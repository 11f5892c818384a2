// `svc preview …`: links to play a release that players do not get.
import type { GroupSpec } from '../../command-line/define-command.ts';
import { createPreviewCommand } from './create.ts';
import { listPreviewsCommand } from './list.ts';
import { revokePreviewCommand } from './revoke.ts';

export const previewGroup: GroupSpec = {
  name: 'preview',
  summary: 'List, create and revoke links to play a release',
  commands: [listPreviewsCommand, createPreviewCommand, revokePreviewCommand],
};
