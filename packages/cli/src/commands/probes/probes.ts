// `svc probes …`: the setup of native probes on a machine.
import type { GroupSpec } from '../../command-line/define-command.ts';
import { installProbesCommand } from './install.ts';

export const probesGroup: GroupSpec = {
  name: 'probes',
  summary: 'Set up native probes for dashboard --probes',
  commands: [installProbesCommand],
};
