// The result of a submitted form, and the notice that shows it above the form.
import { findTextFaults, PlatformError } from '@svc/contracts/platform';
import { asSentence } from '../../html/format.ts';
import { html, type Shown } from '../../html/html.ts';
import { type FieldFaults, fieldFaults } from './field-faults.ts';

/** The result of an action, shown above the form. `status` is the HTTP status: 400 or more is an error. */
export type Outcome = {
  readonly status: number;
  readonly text: string;
  /** The single faults. */
  readonly findings?: readonly Finding[];
  /** Faults by field, which are also shown at the fields. */
  readonly faults?: FieldFaults;
};

/** A fault or a warning. `entry` is the file of the build that it concerns; null if it concerns no file. */
export type Finding = {
  readonly entry: string | null;
  readonly message: string;
  readonly hint: string | null;
};

/** Describes an error that the user can correct in the form. Rethrows any other error. */
export function describeRejection(error: unknown): Outcome {
  if (!(error instanceof PlatformError) || error.code === null) throw error;
  const isRejection = error.status >= 400 && error.status < 500;
  if (!isRejection || error.status === 401 || error.status === 404) throw error;
  const findings = error.details
    .filter(({ message, hint }) => message !== error.message || hint !== undefined)
    .map(({ entry, message, hint }) => ({ entry: entry ?? null, message, hint: hint ?? null }));
  const faults = fieldFaults(error.details);
  return { status: error.status, text: asSentence(error.message), findings, faults };
}

/** The faults of texts that the API would reject; null if there are none. `fields` have the API's names. */
export function checkTexts(fields: object): Outcome | null {
  const faults = findTextFaults(fields);
  if (faults.length === 0) return null;
  const text = 'Nothing was saved. Correct the marked fields.';
  return { status: 400, text, faults: fieldFaults(faults) };
}

/** The notice above a form; null without an outcome. */
export function notice(outcome: Outcome | null): Shown {
  if (outcome === null) return null;
  const isError = outcome.status >= 400;
  return html`<div class="notice ${isError ? 'bad' : 'good'}" role="${isError ? 'alert' : 'status'}"><p>${outcome.text}</p>
${findingList(outcome.findings ?? [])}</div>`;
}

/** A list of findings; null if there are none. */
export function findingList(findings: readonly Finding[]): Shown {
  if (findings.length === 0) return null;
  return html`<ul class="findings">${findings.map(({ entry, message, hint }) => html`<li>${entry !== null && html`<code>${entry}</code>`}<span>${message}</span>${hint !== null && html`<span class="hint">${hint}</span>`}</li>`)}</ul>`;
}

/** The message for the action that `?done=` in the address names; null if it is missing or unknown. */
export function describeDone(
  url: URL,
  sentences: Readonly<Record<string, string>>,
): Outcome | null {
  const done = url.searchParams.get('done') ?? '';
  const text = Object.hasOwn(sentences, done) ? sentences[done] : undefined;
  return text === undefined ? null : { status: 200, text };
}
