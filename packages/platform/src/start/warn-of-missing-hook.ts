// Warns about a publish hook that cannot be started.
import { access, constants } from 'node:fs/promises';
import type { Log } from '@svc/observe';
import type { Settings } from './settings.ts';

/** Logs a warning if the program of the hook cannot be executed. The server starts nevertheless, because games can be played. */
export async function warnOfMissingHook(
  { publishHook }: Pick<Settings, 'publishHook'>,
  log: Log,
): Promise<void> {
  if (publishHook?.kind !== 'command') return;
  const [program] = publishHook.command;
  try {
    await access(program, constants.X_OK);
  } catch {
    log.warn(
      `no build can be published: the program in SVC_PUBLISH_HOOK cannot be executed. Install "${program}", or change the setting`,
    );
  }
}
