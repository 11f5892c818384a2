// The project of a command: `--project ID`, else the one in svc.json.
import type { Call, OptionSpec, OptionValues } from '../../command-line/define-command.ts';
import { requireProjectId } from '../../project/project-file.ts';

export const PROJECT_OPTION = {
  flags: '--project <ID>',
  help: 'id of the project (default: the one in svc.json)',
} as const satisfies OptionSpec;

export type ProjectOptions = OptionValues<[typeof PROJECT_OPTION]>;

export function projectIdOf(call: Call<ProjectOptions>): string {
  return call.options.project ?? requireProjectId(call.io.cwd);
}
