// `svc token …`: personal access tokens.
import type { GroupSpec } from '../../command-line/define-command.ts';
import { createTokenCommand } from './create.ts';
import { listTokensCommand } from './list.ts';
import { revokeTokenCommand } from './revoke.ts';

export const tokenGroup: GroupSpec = {
  name: 'token',
  summary: 'List, create and revoke personal access tokens',
  commands: [listTokensCommand, createTokenCommand, revokeTokenCommand],
};
