// Assigns the faults that the API reports to the fields of a form.
import type { ErrorDetail } from '@svc/contracts/errors';
import { asSentence } from '../../html/format.ts';

/** Messages by the name of the form's field. */
export type FieldFaults = Readonly<Record<string, string>>;

/** Names of form fields that differ from the API's names. */
const FORM_NAMES: Readonly<Record<string, string>> = {
  expires_in_days: 'days',
  projects: 'project',
};

/** The first fault of each field. Faults without a field, such as those of a build's files, are ignored. */
export function fieldFaults(details: readonly ErrorDetail[]): FieldFaults {
  const faults: Record<string, string> = {};
  for (const { path, entry, message } of details) {
    if (path === undefined || entry !== undefined) continue;
    const name = fieldName(path);
    if (name !== '') faults[name] ??= asSentence(message);
  }
  return faults;
}

/** The form's field for a JSON pointer: `tags` for `metadata/tags/2`, `accent` for `metadata/layout/accent`. */
function fieldName(path: string): string {
  const [first = '', second = ''] = path
    .replace(/^metadata/, '')
    .replace(/^\//, '')
    .split('/');
  const name = first === 'layout' && second !== '' ? second : first;
  return FORM_NAMES[name] ?? name;
}
