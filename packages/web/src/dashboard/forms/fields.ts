// Form fields with label, hint and fault. They keep the values that were submitted.
import { type Html, html, type Shown } from '../../html/html.ts';
import type { Outcome } from './outcome.ts';

type Field = {
  readonly name: string;
  readonly label: string;
  readonly value?: string | null;
  readonly hint?: string;
  /** A field that is required `for-some` choices of another one has no mark, and the API checks it. */
  readonly required?: boolean | 'for-some';
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly type?: 'text' | 'url' | 'number';
  readonly placeholder?: string;
  /** The result of the form's submission. The field shows its own fault. */
  readonly outcome?: Outcome | null;
};

/** An input for one line of text. */
export function textField(field: Field): Html {
  const { name, label, value, required, maxLength, pattern, type, placeholder } = field;
  return html`<div class="field"><label for="${name}">${label}${!required && html` <span class="quiet-text">optional</span>`}</label>
<input id="${name}" name="${name}" type="${type ?? 'text'}" value="${value ?? ''}"${required === true && html` required`}${maxLength !== undefined && html` maxlength="${maxLength}"`}${pattern !== undefined && html` pattern="${pattern}"`}${placeholder !== undefined && html` placeholder="${placeholder}"`}${describedBy(field)} autocomplete="off">
${below(field)}</div>`;
}

/** An input for several lines of text. */
export function textArea(field: Field & { readonly rows?: number }): Html {
  const { name, label, value, required, maxLength, rows } = field;
  return html`<div class="field"><label for="${name}">${label}${!required && html` <span class="quiet-text">optional</span>`}</label>
<textarea id="${name}" name="${name}" rows="${rows ?? 5}"${required === true && html` required`}${maxLength !== undefined && html` maxlength="${maxLength}"`}${describedBy(field)}>
${value ?? ''}</textarea>
${below(field)}</div>`;
}

/** A choice of one value. */
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

/** A choice of one value, which is required, with all values visible. */
export function radioField(
  field: Field & { readonly options: readonly (readonly [value: string, label: string])[] },
): Html {
  const { name, label, value, options } = field;
  return html`<fieldset class="field" role="radiogroup"${describedBy(field)}><legend>${label}</legend>${options.map(
    ([id, text]) =>
      html`<label class="check"><input type="radio" name="${name}" value="${id}"${id === value && html` checked`} required> <span>${text}</span></label>`,
  )}
${below(field)}</fieldset>`;
}

/** A choice of yes or no. The form has the value "on" or none. */
export function checkField(
  field: Pick<Field, 'name' | 'label' | 'hint'> & { readonly checked: boolean },
): Html {
  const { name, label, checked } = field;
  return html`<div class="field"><label class="check"><input type="checkbox" id="${name}" name="${name}" value="on"${checked && html` checked`}${describedBy(field)}> <span>${label}</span></label>
${below(field)}</div>`;
}

/** The ARIA attributes that connect a field with its fault and its hint. */
function describedBy({ name, hint, outcome }: Field): Shown {
  const fault = outcome?.faults?.[name];
  const ids = [
    fault === undefined ? '' : `${name}-fault`,
    hint === undefined ? '' : `${name}-hint`,
  ];
  const described = ids.filter((id) => id !== '').join(' ');
  return html`${fault !== undefined && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}`;
}

/** The fault of a field and its hint. */
function below({ name, hint, outcome }: Field): Shown {
  const fault = outcome?.faults?.[name];
  return html`${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}`;
}

/** Parses tags that are separated by commas or spaces. Returns them in lower case without duplicates. */
export function readTags(text: string): string[] {
  const tags = text.split(/[\s,]+/).map((tag) => tag.toLowerCase());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

/** A text field of a form with LF line ends; empty if it is missing. */
export function formText(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').replaceAll('\r\n', '\n');
}
