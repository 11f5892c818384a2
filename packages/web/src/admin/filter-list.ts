// The filter above a list of administrators, and the links between its pages. Both keep the query in the address.
import { type Html, html, type Shown } from '../html/html.ts';

/** A choice in the filter. Its first option is the default. */
type Choice = {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
};

/** How many entries a page of a list has. */
export const LISTED = '50';

/** Returns the parameters of the address that a list knows and that are not empty. */
export function readQuery<Name extends string>(
  url: URL,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const query: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = url.searchParams.get(name)?.trim() ?? '';
    if (value !== '') query[name] = value;
  }
  return query;
}

/** Returns one of the words; undefined for another text. */
export function oneOf<Word extends string>(
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  return words.find((word) => word === text);
}

type Filter = {
  /** The label of the text field; null for none. */
  readonly search: string | null;
  readonly choices: readonly Choice[];
  /** Parameters that the form keeps. */
  readonly kept?: Readonly<Record<string, string | undefined>>;
};

/** The form. A text field named `q` comes first, unless there is no label for it. */
export function filterForm(url: URL, { search, choices, kept = {} }: Filter): Html {
  const chosen = (name: string): string => url.searchParams.get(name) ?? '';
  return html`<form class="filter" action="${url.pathname}" role="search" aria-label="Filter">${Object.entries(kept).map(([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`)}
${search !== null && html`<div class="field"><label for="q">${search}</label><input id="q" type="search" name="q" value="${chosen('q')}" maxlength="200" autocomplete="off"></div>`}
${choices.map(
  ({ name, label, options }) =>
    html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${options.map(
      ([value, text]) =>
        html`<option value="${value}"${value === chosen(name) && html` selected`}>${text}</option>`,
    )}</select></div>`,
)}
<p class="actions"><button class="button quiet">Show</button></p></form>`;
}

/** The links to the first and the next page; null if there is only one. */
export function listPager(url: URL, next: string | null, what: string): Shown {
  const isFirst = !url.searchParams.has('cursor');
  if (isFirst && next === null) return null;
  return html`<nav class="pager" aria-label="Pages">
${!isFirst && html`<a class="button quiet" href="${addressWith(url, null)}">Newest ${what}</a>`}
${next !== null && html`<a class="button quiet" rel="next" href="${addressWith(url, next)}">Older ${what}</a>`}
</nav>`;
}

function addressWith({ pathname, searchParams }: URL, cursor: string | null): string {
  const query = new URLSearchParams(searchParams);
  query.delete('done');
  if (cursor === null) query.delete('cursor');
  else query.set('cursor', cursor);
  const text = query.toString();
  return text === '' ? pathname : `${pathname}?${text}`;
}
