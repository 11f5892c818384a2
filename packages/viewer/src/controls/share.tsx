// A share, 0 to 1, in percent with a bar behind it.
import { formatShare } from '../format/numbers.ts';

export function Share({ value }: { readonly value: number }) {
  return (
    <span class="share">
      <i style={{ width: `${Math.max(0, Math.min(1, value)) * 100}%` }} />
      <span class="share-text">{formatShare(value)}</span>
    </span>
  );
}
