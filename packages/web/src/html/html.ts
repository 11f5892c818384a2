// HTML as tagged templates that escape every inserted value. All pages are built with them.

/** HTML that is safe to send. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** A value that a template accepts. Null, undefined and false become an empty string. */
export type Shown = Html | string | number | false | null | undefined | readonly Shown[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Escapes every character that could end an element, a quoted attribute or an entity. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ESCAPES[character] ?? '');
}

/** A template. Its literal parts are HTML, and inserted values are escaped. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...values: readonly Shown[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(show)));
}

function show(value: Shown): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return value.map(show).join('');
}

/** Serializes a value as JSON that is safe inside a script element: no character of it can end the element. */
export function jsonForScript(value: unknown): Html {
  const encode = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return new Html(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, encode));
}
