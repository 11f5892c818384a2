// The operator's hook that judges builds before players get them: a program of this machine, or a server.
import { createTurns } from '../files/turns.ts';
import { type AddressHook, askAddress } from './ask-address.ts';
import { askCommand, type CommandHook } from './ask-command.ts';
import type { PublishHook } from './question.ts';

export type HookSettings = CommandHook | AddressHook;

/** Builds that are judged at the same time. Each has a copy of its files on the disk. */
const AT_ONCE = 4;

/** Creates the function that asks the hook. Further questions wait for their turn, which does not count as time of the hook. */
export function createPublishHook(settings: HookSettings): PublishHook {
  const turns = createTurns(AT_ONCE);
  return (question, signal) =>
    turns.run(signal, () =>
      settings.kind === 'command'
        ? askCommand(settings, question, signal)
        : askAddress(settings, question, signal),
    );
}
