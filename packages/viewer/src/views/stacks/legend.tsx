// The legend of the colours of frame categories.
import { CATEGORY_TOKENS } from './draw/palette.ts';

const NAMES = [
  'Native',
  'Kernel',
  'JIT',
  'Inlined',
  'Waker',
  'JavaScript',
  'WebAssembly',
  'Garbage collection',
  'Main thread',
];

export function Legend({ categories }: { readonly categories: readonly number[] }) {
  if (categories.length === 0) return null;
  return (
    <ul class="legend" aria-label="Colours">
      {categories.map((category) => (
        <li key={category}>
          <i style={{ background: `var(--${CATEGORY_TOKENS[category]})` }} />
          {NAMES[category] ?? 'Other'}
        </li>
      ))}
    </ul>
  );
}
