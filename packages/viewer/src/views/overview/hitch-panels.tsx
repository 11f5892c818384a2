// The hitches of the overview: what caused them, and the worst ones.
import { groupText, type HitchGroup, situationText } from '@svc/trace';
import { Fragment } from 'preact';
import { Share } from '../../controls/share.tsx';
import { formatClock, formatCount, formatMs, formatPlural } from '../../format/numbers.ts';
import { showMoment } from '../moment/moment-dialog.tsx';
import type { OverviewMoment, OverviewView } from './derive-overview.ts';
import { Panel, Row } from './panel.tsx';

/** The most groups of hitches that are listed. */
const MOST_GROUPS = 5;

type Props = { readonly overview: OverviewView };

export function Causes({ overview: { groups, hitches, explained } }: Props) {
  if (groups.length === 0) return null;
  const note = explained < hitches ? `of the ${formatCount(explained)} longest hitches` : '';
  const rest = groups.slice(MOST_GROUPS);
  return (
    <Panel title="What caused the hitches" note={note} leadsTo="frames">
      <ul class="plain">
        {groups.slice(0, MOST_GROUPS).map((group) => (
          <Cause key={`${group.kind} ${group.name} ${group.asset?.phase}`} group={group} />
        ))}
      </ul>
      {rest.length > 0 && (
        <p class="hint glance-rest">
          {formatCount(rest.reduce((sum, group) => sum + group.hitches, 0))} more with{' '}
          {formatPlural(rest.length, 'other cause')}.
        </p>
      )}
    </Panel>
  );
}

function Cause({ group }: { readonly group: HitchGroup }) {
  const { hitches, share, worst, situation } = group;
  const text = groupText(group);
  return (
    <Row
      title="Show the longest of these hitches"
      choose={() => showMoment(rangeOf(worst.start_ms, worst.duration_ms))}
    >
      <span class="glance-share">
        <Share value={share} />
      </span>
      <span class="glance-main wrap-anywhere">
        {text.charAt(0).toUpperCase() + text.slice(1)}
        {situationText(situation)}
      </span>
      <span class="glance-number">
        {hitches === 1 ? '1 hitch' : `${formatCount(hitches)} hitches`}
      </span>
    </Row>
  );
}

export function WorstMoments({ overview: { moments } }: Props) {
  if (moments.length === 0) return null;
  return (
    <Panel title="Worst moments" leadsTo="timeline">
      <ol class="plain">
        {moments.map((moment) => (
          <Worst key={`${moment.source} ${moment.start_ms}`} moment={moment} />
        ))}
      </ol>
    </Panel>
  );
}

function Worst({ moment }: { readonly moment: OverviewMoment }) {
  const { start_ms, duration_ms, causes } = moment;
  return (
    <Row
      title="Show everything in this frame"
      choose={() => showMoment(rangeOf(start_ms, duration_ms))}
    >
      <span class="glance-when">{formatClock(start_ms)}</span>
      <b class="glance-number">{formatMs(duration_ms)}</b>
      <span class="glance-main wrap-anywhere">
        {causes.length === 0
          ? 'The trace does not show what caused it'
          : causes.map(([before, name, after], index) => (
              <Fragment key={index}>
                {index > 0 && ', '}
                {before}
                {name !== '' && <b title={name}>{name}</b>}
                {after}
              </Fragment>
            ))}
      </span>
    </Row>
  );
}

function rangeOf(start_ms: number, duration_ms: number): { from: number; to: number } {
  return { from: start_ms, to: start_ms + duration_ms };
}
