// Focuses the search field, at once or as soon as it is rendered.
import { view } from '../../state/address.ts';

export const SEARCH_FIELD = 'search-frames';

let wanted = false;

export function focusSearch(): void {
  const field = document.getElementById(SEARCH_FIELD);
  wanted = field === null;
  if (field === null) view.value = 'stacks';
  else field.focus();
}

/** Must be called when the search field is rendered. Focuses it if `focusSearch` is waiting for it. */
export function searchFieldIsThere(field: HTMLElement | null): void {
  if (!wanted) return;
  wanted = false;
  field?.focus();
}
