// Whether the error codes changed so that programs that look for them fail.
import type { Change } from './compare-schemas.ts';

/** Code → its HTTP status, and for the platform the exit code of svc. */
export type ErrorCodes = Readonly<
  Record<string, { readonly status: number; readonly exit?: number }>
>;

/** Returns the changes from one table to the other that break programs. */
export function compareErrors(before: ErrorCodes, after: ErrorCodes): Change[] {
  return Object.entries(before).flatMap(([code, { status, exit }]): Change[] => {
    const where = `error ${code}`;
    const now = after[code];
    if (now === undefined) return [{ where, what: 'is gone' }];
    return [
      ...(now.status === status
        ? []
        : [{ where, what: `has the status ${now.status}, not ${status}` }]),
      ...(now.exit === exit
        ? []
        : [{ where, what: `leads to the exit code ${now.exit}, not ${exit}` }]),
    ];
  });
}
