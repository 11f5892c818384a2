// A button that switches between a chart and its table.
import type { Signal } from '@preact/signals';

export function TableToggle({ table }: { readonly table: Signal<boolean> }) {
  return (
    <button
      type="button"
      class="button small"
      onClick={() => {
        table.value = !table.value;
      }}
    >
      {table.value ? 'Show chart' : 'Show table'}
    </button>
  );
}
