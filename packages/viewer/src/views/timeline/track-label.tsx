// The label of a track: its name, its source, and its values at the crosshair or the keys of its colours.
import { FitName } from '../../controls/fit-name.tsx';
import { frameBands } from '../../draw/frame-bands.ts';
import { formatCount } from '../../format/numbers.ts';
import { budgetMs } from '../../state/address.ts';
import { SERIES_TOKENS } from './draw/draw-timeline.ts';
import { type Reading, readOut } from './layout/hit.ts';
import type { TrackRow } from './layout/track-rows.ts';
import type { LineTrack } from './timeline-data.ts';
import { cursor } from './timeline-state.ts';

type Props = {
  readonly row: TrackRow;
  /** The distance in ms at which an event counts as being at the crosshair. */
  readonly near: number;
};

export function TrackLabel({ row, near }: Props) {
  const { track, top, height } = row;
  return (
    <div class="track-label" style={{ top: `${top}px`, height: `${height}px` }}>
      <b>
        <FitName text={track.label} />
      </b>
      {track.source !== '' && <span class={`source source-${track.source}`}>{track.source}</span>}
      <ReadOut row={row} near={near} />
    </div>
  );
}

/** Only this part changes as the crosshair moves. */
function ReadOut({ row: { track }, near }: Props) {
  const t = cursor.value;
  const readings = t === null ? [] : readOut(track, t, near);
  if (track.kind === 'line' && track.series.length > 1) {
    return <LineReadOut track={track} readings={readings} />;
  }
  const [reading] = readings;
  return (
    <span class={reading === undefined ? 'read-out' : 'read-out event'}>
      {reading === undefined
        ? t === null && track.kind === 'frames' && <BandLegend />
        : eventText(reading)}
    </span>
  );
}

function eventText({ name, value, more }: Reading) {
  return (
    <>
      {name !== '' && <FitName text={name} />}
      <span>
        {value}
        {more > 0 && ` +${formatCount(more)}`}
      </span>
    </>
  );
}

/** The keys of the lines stay in place, and each has its value beside it. */
function LineReadOut({
  track,
  readings,
}: {
  readonly track: LineTrack;
  readonly readings: readonly Reading[];
}) {
  return (
    <span class="read-out">
      {track.series.map((series, index) => (
        <span key={series.label} class="key">
          <i style={{ background: `var(--${SERIES_TOKENS[index % SERIES_TOKENS.length]})` }} />
          {series.label} {readings[index]?.value}
        </span>
      ))}
    </span>
  );
}

/** The legend of the colours of frame times. */
export function BandLegend() {
  return (
    <>
      {frameBands(budgetMs.value).map(({ upToMs, token }) => (
        <span key={token} class="key band">
          <i style={{ background: `var(--${token})` }} />
          {Number.isFinite(upToMs) ? `≤ ${upToMs.toFixed(1)} ms` : 'longer'}
        </span>
      ))}
    </>
  );
}
