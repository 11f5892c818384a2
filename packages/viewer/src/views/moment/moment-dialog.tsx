// What fell into a stretch of time: frames, assets, long tasks, spans, marks, logs, losses, and the stacks as a flame graph.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { engineFor } from '../../client/engine-client.ts';
import { Dialog } from '../../controls/dialog.tsx';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatClock, formatCount, formatMs } from '../../format/numbers.ts';
import { budgetMs, view } from '../../state/address.ts';
import { notify } from '../../state/notices.ts';
import { showSandwich } from '../stacks/stack-state.ts';
import { lookAt } from '../timeline/timeline-state.ts';
import type { MomentFrame, MomentView } from './derive-moment.ts';
import { hitchBeside } from './hitches.ts';
import './moment.css';
import type { MomentCalls } from './derive-moment.ts';
import { MomentStacks } from './moment-stacks.tsx';

const engine = engineFor<MomentCalls>();

const shown = signal<{ readonly range: TimeRange; readonly moment: MomentView } | null>(null);

let asked = 0;

/** Opens the moment of a stretch of time: the one that was asked for last. */
export async function showMoment(range: TimeRange): Promise<void> {
  const mine = ++asked;
  try {
    const moment = await engine.call('moment', { slot: 'main', range });
    if (mine === asked) shown.value = { range, moment };
  } catch (error) {
    notify('bad', error instanceof Error ? error.message : String(error));
  }
}

export function Moment() {
  const now = shown.value;
  const close = (): void => {
    asked++;
    shown.value = null;
  };
  if (now === null) return null;
  const { range, moment } = now;
  const goTo = (where: 'timeline' | 'stacks'): void => {
    lookAt(range);
    view.value = where;
    close();
  };
  return (
    <Dialog
      open
      title={`${formatClock(range.from)}, ${formatMs(range.to - range.from)}`}
      close={close}
      wide
    >
      <Things moment={moment} />
      <MomentStacks
        stacks={moment.stacks}
        range={range}
        open={(name, category) => {
          showSandwich(name, category);
          goTo('stacks');
        }}
      />
      <footer class="dialog-foot">
        <Hitch label="Earlier hitch" range={hitchBeside(range.from, 'earlier')} />
        <Hitch label="Later hitch" range={hitchBeside(range.from, 'later')} />
        <span class="spring" />
        <button type="button" class="button" onClick={() => goTo('timeline')}>
          Show on the timeline
        </button>
        <button
          type="button"
          class="button"
          disabled={moment.stacks.length === 0}
          onClick={() => goTo('stacks')}
        >
          Show its stacks
        </button>
      </footer>
    </Dialog>
  );
}

function Hitch({ label, range }: { readonly label: string; readonly range: TimeRange | null }) {
  return (
    <button
      type="button"
      class="button"
      disabled={range === null}
      onClick={() => range !== null && void showMoment(range)}
    >
      {label}
    </button>
  );
}

function Things({ moment }: { readonly moment: MomentView }) {
  const { frames, assets, longtasks, spans, marks, logs, losses, stacks, counts } = moment;
  const others = [assets, longtasks, spans, marks, logs, losses, stacks];
  return (
    <>
      {frames.length > 0 && <Frames frames={frames} count={moment.frameCount} />}
      {others.every((list) => list.length === 0) && (
        <p>
          Nothing else was recorded in this stretch. Long tasks, assets and marks come from the
          collector; stacks from <code>--probes stacks</code>.
        </p>
      )}
      <div class="moment">
        <List title="Assets" listed={assets.length} count={counts.assets}>
          {assets.map(({ item, within_ms }) => (
            <li key={`${item.t}/${item.id}/${item.phase}`}>
              <b class="wrap-anywhere" title={item.name}>
                {item.name}
              </b>{' '}
              {item.phase}, {formatMs(within_ms)} of it here
              {item.main_thread_ms !== undefined &&
                `, ${formatMs(item.main_thread_ms)} on the main thread`}
            </li>
          ))}
        </List>
        <List title="Long tasks" listed={longtasks.length} count={counts.longtasks}>
          {longtasks.map(({ item, within_ms }) => (
            <li key={item.t}>
              <b>{formatMs(item.duration_ms)}</b> from {formatClock(item.t)}, {formatMs(within_ms)}{' '}
              of it here
              {item.scripts?.map((script) => (
                <div key={script.name} class="muted">
                  <span class="wrap-anywhere" title={script.name}>
                    {script.name}
                  </span>{' '}
                  {formatMs(script.duration_ms)}
                </div>
              ))}
            </li>
          ))}
        </List>
        <List title="Spans" listed={spans.length} count={counts.spans}>
          {spans.map(({ item, within_ms }) => (
            <li key={`${item.t}/${item.name}`}>
              <b class="wrap-anywhere" title={item.name}>
                {item.name}
              </b>{' '}
              {formatMs(item.duration_ms)}, {formatMs(within_ms)} of it here
            </li>
          ))}
        </List>
        <List title="Marks" listed={marks.length} count={counts.marks}>
          {marks.map((mark) => (
            <li key={`${mark.t}/${mark.name}`}>
              <b class="wrap-anywhere" title={mark.name}>
                {mark.name}
              </b>{' '}
              at {formatClock(mark.t)}
            </li>
          ))}
        </List>
        <List title="Log" listed={logs.length} count={counts.logs}>
          {logs.map((log, index) => (
            <li key={index}>
              <b>{log.level}</b>{' '}
              <span class="wrap-anywhere" title={log.text}>
                {log.text}
              </span>{' '}
              at {formatClock(log.t)}
            </li>
          ))}
        </List>
        <List title="Lost" listed={losses.length} count={counts.losses}>
          {losses.map((loss) => (
            <li key={`${loss.t}/${loss.reason}/${loss.source}`}>
              <b>{loss.reason}</b> at {formatClock(loss.t)}{' '}
              {loss.count === undefined ? '' : `${formatCount(loss.count)} records`}
            </li>
          ))}
        </List>
      </div>
    </>
  );
}

function Frames({
  frames,
  count,
}: {
  readonly frames: readonly MomentFrame[];
  readonly count: number;
}) {
  return (
    <ul class="plain" aria-label="Frames">
      {frames.map((frame) => (
        <li key={`${frame.source}/${frame.start_ms}`}>{frameText(frame)}</li>
      ))}
      {count > frames.length && (
        <li class="muted">and {formatCount(count - frames.length)} shorter frames</li>
      )}
    </ul>
  );
}

function frameText({ source, start_ms, duration_ms, gpu_ms, draws, triangles }: MomentFrame) {
  const over = duration_ms - budgetMs.value;
  const facts = [
    over > 0 ? `${formatMs(over)} over the budget of ${formatMs(budgetMs.value)}` : 'within budget',
    ...(gpu_ms === null ? [] : [`GPU ${formatMs(gpu_ms)}`]),
    ...(draws === null ? [] : [`${formatCount(draws)} draw calls`]),
    ...(triangles === null ? [] : [`${formatCount(triangles)} triangles`]),
  ];
  return (
    <>
      <b>Frame of {formatMs(duration_ms)}</b> at {formatClock(start_ms)}, {source}:{' '}
      {facts.join(', ')}
    </>
  );
}

type ListProps = {
  readonly title: string;
  readonly listed: number;
  readonly count: number;
  readonly children: ComponentChildren;
};

function List({ title, listed, count, children }: ListProps) {
  if (count === 0) return null;
  return (
    <section aria-label={title}>
      <h3>
        {title}{' '}
        <span class="muted">
          {listed < count ? `${formatCount(listed)} of ${formatCount(count)}` : formatCount(count)}
        </span>
      </h3>
      <ul class="plain">{children}</ul>
    </section>
  );
}
