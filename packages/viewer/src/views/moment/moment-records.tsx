// Lists what was recorded in a time range: frames, assets, long tasks, spans, marks, logs and losses.
import type { AssetPhase } from '@svc/trace';
import type { ComponentChildren } from 'preact';
import { formatClock, formatCount, formatMs, formatValue } from '../../format/numbers.ts';
import { budgetMs } from '../../state/address.ts';
import type { MomentFrame, MomentView } from './derive-moment.ts';

type Props = { readonly moment: MomentView };
type RecordsProps = Props & {
  /** Opens callers and callees of a function. */
  readonly open: (name: string, category: string) => void;
};

export function MomentRecords({ moment, open }: RecordsProps) {
  const { frames, assets, longtasks, spans, marks, logs, losses, stacks } = moment;
  const others = [assets, longtasks, spans, marks, logs, losses, stacks];
  return (
    <>
      {frames.length > 0 && moment.near === null && (
        <Frames frames={frames} count={moment.frameCount} />
      )}
      {others.every((list) => list.length === 0) && (
        <p>
          Nothing else was recorded in this time range. The collector records long tasks, assets and
          marks, and <code>--probes stacks</code> records stacks.
        </p>
      )}
      <div class="moment">
        <Functions moment={moment} open={open} />
        <Assets moment={moment} />
        <LongTasks moment={moment} />
        <Spans moment={moment} />
        <Marks moment={moment} />
        <Logs moment={moment} />
        <Losses moment={moment} />
      </div>
    </>
  );
}

function Functions({ moment: { stacks }, open }: RecordsProps) {
  const rows = stacks.flatMap(({ group, unit, functions }) =>
    functions.map((row) => ({ ...row, key: `${group}/${row.name}/${row.category}`, unit })),
  );
  return (
    <List title="Functions that ran" listed={rows.length} count={rows.length}>
      {rows.map(({ key, name, category, self, total, unit }) => (
        <li key={key}>
          <button
            type="button"
            class="moment-function wrap-anywhere"
            title={`Callers and callees of ${name}`}
            onClick={() => open(name, category)}
          >
            {name}
          </button>{' '}
          {formatValue(self, unit)} itself, {formatValue(total, unit)} with what it called
        </li>
      ))}
    </List>
  );
}

/** The kinds of work on assets, by their phases. `named` is no work. */
const ASSET_WORK: readonly (readonly [title: string, phases: readonly AssetPhase[]])[] = [
  ['Uploads', ['upload']],
  ['Decodes and compiles', ['decode', 'compile']],
  ['Loads and reads', ['load', 'read']],
];

function Assets({ moment: { assets, counts } }: Props) {
  const isWhole = assets.length === counts.assets;
  return (
    <>
      {ASSET_WORK.map(([title, phases]) => {
        const own = assets.filter(({ item }) => phases.includes(item.phase));
        return (
          <List key={title} title={title} listed={own.length} count={own.length}>
            {own.map(({ item, within_ms }) => (
              <li key={`${item.t}/${item.id}/${item.phase}`}>
                <Name text={item.name} /> {item.phase}, {formatMs(within_ms)} of it in this range
                {item.main_thread_ms !== undefined &&
                  `, ${formatMs(item.main_thread_ms)} on the main thread`}
              </li>
            ))}
          </List>
        );
      })}
      {!isWhole && (
        <p class="hint">
          The {formatCount(assets.length)} longest of {formatCount(counts.assets)} records of assets
          are listed.
        </p>
      )}
    </>
  );
}

function LongTasks({ moment: { longtasks, counts } }: Props) {
  return (
    <List title="Long tasks" listed={longtasks.length} count={counts.longtasks}>
      {longtasks.map(({ item, within_ms }) => (
        <li key={item.t}>
          <b>{formatMs(item.duration_ms)}</b> from {formatClock(item.t)}, {formatMs(within_ms)} of
          it in this range
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
  );
}

/** Spans that have a list of their own, by track. */
const SPAN_WORK = { gc: 'Garbage collection', rendering: 'Rendering' } as const;

function Spans({ moment: { spans, counts } }: Props) {
  const titleOf = (track: string | undefined): string =>
    track === 'gc' || track === 'rendering' ? SPAN_WORK[track] : 'Spans';
  const groups = Map.groupBy(spans, ({ item }) => titleOf(item.track));
  return (
    <>
      {[...groups].map(([title, own]) => (
        <List key={title} title={title} listed={own.length} count={own.length}>
          {own.map(({ item, within_ms }) => (
            <li key={`${item.t}/${item.track}/${item.name}`}>
              <Name text={item.name} />{' '}
              {title === 'Spans' && item.track !== undefined && (
                <span class="muted">{item.track} </span>
              )}
              {formatMs(item.duration_ms)}, {formatMs(within_ms)} of it in this range
            </li>
          ))}
        </List>
      ))}
      {spans.length < counts.spans && (
        <p class="hint">
          The {formatCount(spans.length)} longest of {formatCount(counts.spans)} spans are listed.
        </p>
      )}
    </>
  );
}

function Marks({ moment: { marks, counts } }: Props) {
  return (
    <List title="Marks" listed={marks.length} count={counts.marks}>
      {marks.map((mark) => (
        <li key={`${mark.t}/${mark.name}`}>
          <Name text={mark.name} /> at {formatClock(mark.t)}
        </li>
      ))}
    </List>
  );
}

function Logs({ moment: { logs, counts } }: Props) {
  return (
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
  );
}

function Losses({ moment: { losses, counts } }: Props) {
  return (
    <List title="Lost" listed={losses.length} count={counts.losses}>
      {losses.map((loss) => (
        <li key={`${loss.t}/${loss.reason}/${loss.source}`}>
          <b>{loss.reason}</b> at {formatClock(loss.t)}{' '}
          {loss.count === undefined ? '' : `${formatCount(loss.count)} records`}
        </li>
      ))}
    </List>
  );
}

function Name({ text }: { readonly text: string }) {
  return (
    <b class="wrap-anywhere" title={text}>
      {text}
    </b>
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
