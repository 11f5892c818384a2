// A slot for work that must not run twice at a time: an import or an analysis.
import { failure } from '../failure.ts';

export type ExclusiveSlot = {
  /** Takes the slot until disposed of. Throws `work_in_progress` if it is taken. */
  take(): Disposable;
};

export function exclusiveSlot(): ExclusiveSlot {
  let taken = false;
  return {
    take: () => {
      if (taken) {
        throw failure(
          'work_in_progress',
          'Cannot start: another import or analysis is running. Try again when it has finished',
        );
      }
      taken = true;
      return {
        [Symbol.dispose]: () => {
          taken = false;
        },
      };
    },
  };
}
