// Refuses texts for people that hold what nobody can see, or that do not read as they are written.
import { LISTED_FAULTS } from '@svc/contracts/faults';
import { findTextFaults } from '@svc/contracts/platform';
import { failure } from '../failure.ts';

/** Throws `invalid_input` that names each field of the body whose text is refused. `toPath` gives a field's place in the request. */
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
