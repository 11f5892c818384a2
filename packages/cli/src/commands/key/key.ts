// `svc key …`: the keys of model providers in the system's keyring.
import type { GroupSpec } from '../../command-line/define-command.ts';
import { removeKeyCommand } from './remove.ts';
import { setKeyCommand } from './set.ts';
import { keyStatusCommand } from './status.ts';

export const keyGroup: GroupSpec = {
  name: 'key',
  summary: 'Store the keys of model providers in the system’s keyring',
  commands: [setKeyCommand, removeKeyCommand, keyStatusCommand],
};
