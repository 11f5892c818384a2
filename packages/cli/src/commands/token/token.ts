// `svc token …`: personal access tokens, managed by their owner.
import type { GroupSpec } from '../../command-line/define-command.ts';
import { createTokenCommand } from './create.ts';
import { listTokensCommand } from './list.ts';
import { revokeTokenCommand } from './revoke.ts';

export const tokenGroup: GroupSpec = {
  name: 'token',
  summary: 'List, make and revoke personal access tokens',
  commands: [listTokensCommand, createTokenCommand, revokeTokenCommand],
};
