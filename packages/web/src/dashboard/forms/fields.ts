// What the dashboard's forms are made of: fields that keep what was typed, and what a refusal says.
import { findTextFaults, PlatformError } from '@svc/contracts/platform';
import { type Html, html, type Shown } from '../../html/html.ts';
import { sentence } from '../../html/format.ts';
import { type FieldFaults, fieldFaults } from './field-faults.ts';

/** What a person is told above a form: a refusal, or that it worked. */
export type Told = {
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

/** The refusal as it is told above its form; rethrows what a form can't mend. */
export function refusal(error: unknown): Told {
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
export function textRefusal(fields: object): Told | null {
  const faults = findTextFaults(fields);
  if (faults.length === 0) return null;
  const text = 'Nothing was saved. Correct what is marked below.';
  return { status: 400, text, faults: fieldFaults(faults) };
}

/** The notice above a form. */
export function notice(told: Told | null): Shown {
  if (told === null) return null;
  const isRefusal = told.status >= 400;
  return html`<div class="notice ${isRefusal ? 'bad' : 'good'}" role="${isRefusal ? 'alert' : 'status'}"><p>${told.text}</p>
${findingList(told.findings ?? [])}</div>`;
}

/** What the checker says, entry by entry. */
export function findingList(findings: readonly Finding[]): Shown {
  if (findings.length === 0) return null;
  return html`<ul class="findings">${findings.map(({ entry, message, hint }) => html`<li>${entry !== null && html`<code>${entry}</code>`}<span>${message}</span>${hint !== null && html`<span class="hint">${hint}</span>`}</li>`)}</ul>`;
}

export type Field = {
  readonly name: string;
  readonly label: string;
  readonly value?: string | null;
  readonly hint?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly type?: 'text' | 'url' | 'number';
  readonly placeholder?: string;
  /** What came of sending the form: the field shows what is wrong with it. */
  readonly told?: Told | null;
};

/** A line of text with its label and hint. */
export function textField(field: Field): Html {
  const { name, label, value, required, maxLength, pattern, type, placeholder } = field;
  return html`<div class="field"><label for="${name}">${label}${required !== true && html` <span class="quiet-text">optional</span>`}</label>
<input id="${name}" name="${name}" type="${type ?? 'text'}" value="${value ?? ''}"${required === true && html` required`}${maxLength !== undefined && html` maxlength="${maxLength}"`}${pattern !== undefined && html` pattern="${pattern}"`}${placeholder !== undefined && html` placeholder="${placeholder}"`}${describedBy(field)} autocomplete="off">
${below(field)}</div>`;
}

/** Several lines of text. */
export function textArea(field: Field & { readonly rows?: number }): Html {
  const { name, label, value, maxLength, rows } = field;
  return html`<div class="field"><label for="${name}">${label} <span class="quiet-text">optional</span></label>
<textarea id="${name}" name="${name}" rows="${rows ?? 5}"${maxLength !== undefined && html` maxlength="${maxLength}"`}${describedBy(field)}>
${value ?? ''}</textarea>
${below(field)}</div>`;
}

/** One of several values. */
export function selectField(
  field: Field & { readonly options: readonly (readonly [value: string, label: string])[] },
): Html {
  const { name, label, value, options } = field;
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${describedBy(field)}>${options.map(
    ([id, text]) =>
      html`<option value="${id}"${id === (value ?? '') && html` selected`}>${text}</option>`,
  )}</select>
${below(field)}</div>`;
}

/** The attributes that lead from a field to what is wrong with it and to its hint. */
function describedBy({ name, hint, told }: Field): Shown {
  const fault = told?.faults?.[name];
  const ids = [
    fault === undefined ? '' : `${name}-fault`,
    hint === undefined ? '' : `${name}-hint`,
  ];
  const described = ids.filter((id) => id !== '').join(' ');
  return html`${fault !== undefined && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}`;
}

/** What is wrong with a field, and its hint. */
function below({ name, hint, told }: Field): Shown {
  const fault = told?.faults?.[name];
  return html`${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}`;
}

/** Tags as people type them: words with commas or spaces between. */
export function readTags(text: string): string[] {
  const tags = text.split(/[\s,]+/).map((tag) => tag.toLowerCase());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

/** Text of a form, with the line ends that are kept everywhere. */
export function formText(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').replaceAll('\r\n', '\n');
}

/** What was done before the redirect that led here, as the address tells it. */
export function doneNotice(url: URL, sentences: Readonly<Record<string, string>>): Told | null {
  const done = url.searchParams.get('done') ?? '';
  const text = Object.hasOwn(sentences, done) ? sentences[done] : undefined;
  return text === undefined ? null : { status: 200, text };
}
