// What is said after a command has replaced the live release.
import type { ApiOptions } from '../../platform/api-address.ts';
import type { ProjectOptions } from './project-option.ts';

/** Names the command that makes the replaced version live again, with the options that chose the project. */
export function undoNote(replaced: string, { project, api }: ProjectOptions & ApiOptions): string {
  const named = project === undefined ? '' : ` --project ${project}`;
  const at = api === undefined ? '' : ` --api ${api}`;
  return `To undo this, run svc rollback ${replaced}${named}${at}.`;
}
