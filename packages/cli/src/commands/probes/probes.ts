// `svc probes …`: what native probes need once on a machine.
import type { GroupSpec } from '../../command-line/define-command.ts';
import { installProbesCommand } from './install.ts';

export const probesGroup: GroupSpec = {
  name: 'probes',
  summary: 'Let native probes observe your processes without a password',
  commands: [installProbesCommand],
};
