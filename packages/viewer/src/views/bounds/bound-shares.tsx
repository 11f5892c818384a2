// The time over budget of hitches, by what bounds them.
import { BOUND_NAMES, type BoundShare } from '@svc/trace';
import { formatCount, formatMs } from '../../format/numbers.ts';
import { ShareTable } from './share-table.tsx';

const HEADS = ['Bound', 'Hitches', 'Over budget', 'Share'] as const;

export function BoundShares({ shares }: { readonly shares: readonly BoundShare[] }) {
  return (
    <ShareTable
      caption="Time over budget, by what bounds the frame"
      heads={HEADS}
      rows={shares.map(({ bound, hitches, over_ms, share }) => ({
        name: BOUND_NAMES[bound],
        values: [formatCount(hitches), formatMs(over_ms)],
        share,
      }))}
    />
  );
}
