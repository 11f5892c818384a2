// Rejects texts for people that contain invisible characters or characters that reorder text.
import { LISTED_FAULTS } from '@svc/contracts/faults';
import { findTextFaults } from '@svc/contracts/platform';
import { failure } from '../failure.ts';

/** Throws `invalid_input` with an entry for each invalid text of the body. `toPath` returns a field's place in the request. */
export function checkTexts(
  body: unknown,
  toPath: (field: string) => string = (field) => `/${field}`,
): void {
  const faults = findTextFaults(body);
  const [first] = faults;
  if (first === undefined) return;
  const details = faults
    .slice(0, LISTED_FAULTS)
    .map(({ path, message }) => ({ path: toPath(path), message }));
  throw failure('invalid_input', first.message, { details });
}
