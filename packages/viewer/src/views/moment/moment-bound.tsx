// What caused a hitch, and what bounds it: a sentence each, and the parts of its time. For several hitches: the time over budget by bound.
import type { CauseParts } from '@svc/trace';
import { Fragment } from 'preact';
import { formatCount, formatMs } from '../../format/numbers.ts';
import { BoundShares } from '../bounds/bound-shares.tsx';
import { ShareTable } from '../bounds/share-table.tsx';
import type { MomentBounds, MomentPart } from './moment-bounds.ts';

/** The number of characters up to which a name is shown whole. The title of the name has all of it. */
const NAME_LENGTH = 90;

const HEADS = ['Part', 'Time', 'Share'] as const;

export function MomentBound({ bounds }: { readonly bounds: MomentBounds }) {
  return (
    <section class="moment-bound" aria-label="What bounds it">
      {bounds.kind === 'hitch' ? (
        <>
          {bounds.causes.length > 0 && <Causes causes={bounds.causes} />}
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
          <BoundShares shares={bounds.shares} source={bounds.source} />
        </>
      )}
    </section>
  );
}

function Causes({ causes }: { readonly causes: readonly CauseParts[] }) {
  return (
    <p class="moment-causes">
      {causes.length === 1 ? 'Cause' : 'Causes'}:{' '}
      {causes.map(([before, name, after], index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          {before}
          {name !== '' && (
            <b class="wrap-anywhere" title={name}>
              {shortName(name)}
            </b>
          )}
          {withUnit(after)}
        </Fragment>
      ))}
      .
    </p>
  );
}

/** Keeps the unit at the end of a clause on the line of its number. */
function withUnit(text: string): string {
  return text.replace(/ ms$/, '\u00a0ms');
}

/** Shortens a long path in its middle, because its ends say most: the host and the file. */
function shortName(name: string): string {
  if (name.length <= NAME_LENGTH) return name;
  const [start, end] = [name.slice(0, NAME_LENGTH / 3), name.slice((-NAME_LENGTH * 2) / 3)];
  return `${start.toWellFormed()}…${end.toWellFormed()}`;
}

function timeText({ ms, isLeast }: MomentPart): string {
  if (ms === null) return 'not measured';
  return isLeast ? `at least ${formatMs(ms)}` : formatMs(ms);
}
