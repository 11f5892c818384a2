// The result of a submitted form, and the notice that shows it above the form.
import { findTextFaults, PlatformError } from '@svc/contracts/platform';
import { sentence } from '../../html/format.ts';
import { html, type Shown } from '../../html/html.ts';
import { type FieldFaults, fieldFaults } from './field-faults.ts';

/** What a person is outcome above a form: a refusal, or that it worked. */
export type Outcome = {
  readonly status: number;
  readonly text: string;
  /** One for each thing that is wrong. */
  readonly findings?: readonly Finding[];
  /** What is wrong with single fields, which say it themselves too. */
  readonly faults?: FieldFaults;
};

/** One thing that is wrong or worth a look; `entry` is the file of the build, or the field, that it is about. */
export type Finding = {
  readonly entry: string | null;
  readonly message: string;
  readonly hint: string | null;
};

/** The refusal as it is outcome above its form; rethrows what a form can't mend. */
export function describeRejection(error: unknown): Outcome {
  if (!(error instanceof PlatformError) || error.code === null) throw error;
  const isTheirs = error.status >= 400 && error.status < 500;
  if (!isTheirs || error.status === 401 || error.status === 404) throw error;
  const findings = error.details
    .filter(({ message, hint }) => message !== error.message || hint !== undefined)
    .map(({ entry, message, hint }) => ({ entry: entry ?? null, message, hint: hint ?? null }));
  const faults = fieldFaults(error.details);
  return { status: error.status, text: sentence(error.message), findings, faults };
}

/** The refusal of a form whose texts the API would not take; null where it would. `fields` are named as the API names them. */
export function checkTexts(fields: object): Outcome | null {
  const faults = findTextFaults(fields);
  if (faults.length === 0) return null;
  const text = 'Nothing was saved. Correct what is marked below.';
  return { status: 400, text, faults: fieldFaults(faults) };
}

/** The notice above a form. */
export function notice(outcome: Outcome | null): Shown {
  if (outcome === null) return null;
  const isRefusal = outcome.status >= 400;
  return html`<div class="notice ${isRefusal ? 'bad' : 'good'}" role="${isRefusal ? 'alert' : 'status'}"><p>${outcome.text}</p>
${findingList(outcome.findings ?? [])}</div>`;
}

/** What the checker says, entry by entry. */
export function findingList(findings: readonly Finding[]): Shown {
  if (findings.length === 0) return null;
  return html`<ul class="findings">${findings.map(({ entry, message, hint }) => html`<li>${entry !== null && html`<code>${entry}</code>`}<span>${message}</span>${hint !== null && html`<span class="hint">${hint}</span>`}</li>`)}</ul>`;
}

/** What was done before the redirect that led here, as the address tells it. */
export function describeDone(
  url: URL,
  sentences: Readonly<Record<string, string>>,
): Outcome | null {
  const done = url.searchParams.get('done') ?? '';
  const text = Object.hasOwn(sentences, done) ? sentences[done] : undefined;
  return text === undefined ? null : { status: 200, text };
}
