// The time over budget of hitches, by what bounds them.
import { type BoundShare, boundNames, type Source } from '@svc/trace';
import { formatCount, formatMs } from '../../format/numbers.ts';
import { ShareTable } from './share-table.tsx';

const HEADS = ['Bound', 'Hitches', 'Over budget', 'Share'] as const;

type Props = {
  readonly shares: readonly BoundShare[];
  /** The source of the frames. Null: several. */
  readonly source: Source | null;
};

export function BoundShares({ shares, source }: Props) {
  const names = boundNames(source);
  return (
    <ShareTable
      caption="Time over budget, by what bounds the frame"
      heads={HEADS}
      rows={shares.map(({ bound, hitches, over_ms, share }) => ({
        name: names[bound],
        values: [formatCount(hitches), formatMs(over_ms)],
        share,
      }))}
    />
  );
}
