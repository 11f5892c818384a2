// What bounds a hitch: a sentence, and the parts of its time. For several hitches: the time over budget by bound.
import { formatCount, formatMs } from '../../format/numbers.ts';
import { BoundShares } from '../bounds/bound-shares.tsx';
import { ShareTable } from '../bounds/share-table.tsx';
import type { MomentBounds, MomentPart } from './moment-bounds.ts';

const HEADS = ['Part', 'Time', 'Share'] as const;

export function MomentBound({ bounds }: { readonly bounds: MomentBounds }) {
  return (
    <section class="moment-bound" aria-label="What bounds it">
      {bounds.kind === 'hitch' ? (
        <>
          <p class="wrap-anywhere">{bounds.text}</p>
          <ShareTable
            caption="Parts of this frame. The GPU works beside the main thread."
            heads={HEADS}
            rows={bounds.parts.map((part) => ({
              name: part.name,
              values: [timeText(part)],
              share: part.share,
            }))}
          />
        </>
      ) : (
        <>
          <p>{formatCount(bounds.count)} hitches in this time range.</p>
          <BoundShares shares={bounds.shares} />
        </>
      )}
    </section>
  );
}

function timeText({ ms, isLeast }: MomentPart): string {
  if (ms === null) return 'not measured';
  return isLeast ? `at least ${formatMs(ms)}` : formatMs(ms);
}
