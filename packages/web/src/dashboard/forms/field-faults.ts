// Which field of a form each refusal of the API belongs to, so that it can stand beside that field.
import type { ErrorDetail } from '@svc/contracts/errors';
import { sentence } from '../../html/format.ts';

/** What is wrong, by the name of the form's field. */
export type FieldFaults = Readonly<Record<string, string>>;

/** Fields that a form calls otherwise than the API. */
const FORM_NAMES: Readonly<Record<string, string>> = {
  expires_in_days: 'days',
  projects: 'project',
};

/** The first fault of each field. Faults of no field, such as those of a build's files, are left out. */
export function fieldFaults(details: readonly ErrorDetail[]): FieldFaults {
  const faults: Record<string, string> = {};
  for (const { path, entry, message } of details) {
    if (path === undefined || entry !== undefined) continue;
    const name = fieldName(path);
    if (name !== '') faults[name] ??= sentence(message);
  }
  return faults;
}

/** `tags` for `metadata/tags/2`; `accent` for `metadata/layout/accent`. */
function fieldName(path: string): string {
  const [first = '', second = ''] = path
    .replace(/^metadata/, '')
    .replace(/^\//, '')
    .split('/');
  const name = first === 'layout' && second !== '' ? second : first;
  return FORM_NAMES[name] ?? name;
}
