// Goes to a view by a button of another one. The button is gone then, so the focus moves to the view.
import { type View, view } from '../state/address.ts';

export function goTo(next: View): void {
  view.value = next;
  document.getElementById('view')?.focus();
}
