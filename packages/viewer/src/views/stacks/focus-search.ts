// The caret into the field that searches frames: at once where it is on the page, else as soon as it is there.
import { view } from '../../state/address.ts';

export const SEARCH_FIELD = 'search-frames';

let wanted = false;

export function focusSearch(): void {
  const field = document.getElementById(SEARCH_FIELD);
  wanted = field === null;
  if (field === null) view.value = 'stacks';
  else field.focus();
}

/** Says that the field is on the page now. */
export function searchFieldIsThere(field: HTMLElement | null): void {
  if (!wanted) return;
  wanted = false;
  field?.focus();
}
