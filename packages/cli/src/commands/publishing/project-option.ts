// Which project a command is about: `--project ID`, else the one that svc.json names.
import type { Call, OptionSpec } from '../../command-line/define-command.ts';
import { requireProjectId } from '../../project/project-file.ts';

export const PROJECT_OPTION: OptionSpec = {
  flags: '--project <ID>',
  help: 'id of the project (else the one in svc.json)',
};

export type ProjectOptions = { readonly project?: string };

export function projectIdOf(call: Call<ProjectOptions>): string {
  return call.options.project ?? requireProjectId(call.io.cwd);
}
