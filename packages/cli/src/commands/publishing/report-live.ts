// What is said after a command has made a release live.
import type { CallAnswer } from '@svc/contracts/platform';
import type { Documents } from '../../documents.ts';
import type { Output } from '../../output/output.ts';
import type { ApiOptions } from '../../platform/api-address.ts';
import type { ProjectOptions } from './project-option.ts';

type Reporting = {
  readonly output: Output<Documents['rollback' | 'promote']>;
  readonly options: ProjectOptions & ApiOptions;
};

/** Prints the result, and the command that makes the replaced version live again. */
export function reportLive(
  { output, options }: Reporting,
  { game, release, replaced = null }: CallAnswer<'rollback'>,
): void {
  output.result({ game, release, replaced }, () => [
    `${game.title}: version ${release.version} is live.`,
    ...(game.play_url === null ? [] : [game.play_url]),
  ]);
  if (replaced !== null) output.note(undoNote(replaced, options));
}

/** Names the command with the options that chose the project. */
function undoNote(replaced: string, { project, api }: ProjectOptions & ApiOptions): string {
  const named = project === undefined ? '' : ` --project ${project}`;
  const at = api === undefined ? '' : ` --api ${api}`;
  return `To undo this, run svc rollback ${replaced}${named}${at}.`;
}
