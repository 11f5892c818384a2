// The frame of a moment between the frames before and after it, as bars of one scale.
import { pacingClass } from '@svc/trace';
import { formatClock, formatCount, formatMs } from '../../format/numbers.ts';
import { budgetMs, momentRange } from '../../state/address.ts';
import type { NearFrames as Near, NearFrame } from './moment-frames.ts';

export function NearFrames({ near }: { readonly near: Near }) {
  const { before, frame, after } = near;
  const longest = Math.max(before?.duration_ms ?? 0, frame.duration_ms, after?.duration_ms ?? 0);
  return (
    <ol class="plain near-frames" aria-label="Frames">
      <Frame title="Frame before" frame={before} longest={longest} />
      <Frame title="This frame" frame={frame} longest={longest} isShown />
      <Frame title="Frame after" frame={after} longest={longest} />
    </ol>
  );
}

type Props = {
  readonly title: string;
  /** Null at the ends of the trace. */
  readonly frame: NearFrame | null;
  readonly longest: number;
  readonly isShown?: boolean;
};

function Frame({ title, frame, longest, isShown = false }: Props) {
  if (frame === null) {
    return (
      <li class="near-frame">
        <div>
          <span class="near-frame-title">{title}</span>
          <span class="muted">The recording has none</span>
        </div>
      </li>
    );
  }
  const { range, duration_ms } = frame;
  const colour = FILLS[pacingClass(duration_ms, budgetMs.value)];
  const content = (
    <>
      <span class="near-frame-title">
        {title}, {formatClock(range.from)}
      </span>
      <b>{formatMs(duration_ms)}</b>
      <span class="near-frame-bar">
        <i
          class={colour}
          style={{ width: `${longest === 0 ? 0 : (duration_ms / longest) * 100}%` }}
        />
      </span>
      <span class="muted">{factsOf(frame, isShown).join(', ')}</span>
    </>
  );
  return (
    <li class={isShown ? 'near-frame shown' : 'near-frame'} aria-current={isShown || undefined}>
      {isShown ? (
        <div>{content}</div>
      ) : (
        <button
          type="button"
          title="Show this frame"
          onClick={() => {
            momentRange.value = range;
          }}
        >
          {content}
        </button>
      )}
    </li>
  );
}

/** The colour of each class of frames. */
const FILLS = ['swatch-frame-within', 'swatch-frame-over', 'swatch-frame-far'];

function factsOf(frame: NearFrame, isShown: boolean): string[] {
  const { duration_ms, main_ms, gpu_ms, draws, triangles, over_budget, lost, causes } = frame;
  const [cause] = causes;
  return [
    ...(over_budget ? [`${formatMs(duration_ms - budgetMs.value)} over the budget`] : []),
    // The causes of the shown frame are above.
    ...(isShown || cause === undefined ? [] : [cause.join('')]),
    ...(main_ms === null ? [] : [`main thread ${formatMs(main_ms)}`]),
    ...(gpu_ms === null ? [] : [`GPU ${formatMs(gpu_ms)}`]),
    ...(draws === null ? [] : [`${formatCount(draws)} draw calls`]),
    ...(triangles === null ? [] : [`${formatCount(triangles)} triangles`]),
    ...(lost ? ['within a loss, not counted'] : []),
  ];
}
