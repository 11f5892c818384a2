// The one place for work that only one may do at a time: an import or an analysis.
import { ApiError } from '@svc/serve';

export type ExclusiveSlot = {
  /** Takes the slot until disposed; throws `work_in_progress` where it is taken. */
  take(): Disposable;
};

export function exclusiveSlot(): ExclusiveSlot {
  let taken = false;
  return {
    take: () => {
      if (taken) {
        throw new ApiError(
          'work_in_progress',
          'Cannot begin: another import or analysis is running, and only one may at a time',
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
