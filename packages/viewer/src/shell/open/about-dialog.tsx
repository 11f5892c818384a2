// The dialog with all details of the open trace: its source, its content, and what is missing.
import { signal } from '@preact/signals';
import { LEFT_OUT, machineText } from '@svc/trace';
import type { TraceInfo } from '../../client/trace-calls.ts';
import { Dialog } from '../../controls/dialog.tsx';
import { formatBytes, formatClock, formatCount, formatMs } from '../../format/numbers.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { timeline } from '../../views/timeline/timeline-state.ts';

const open = signal(false);

export function showAbout(): void {
  open.value = mainTrace.value !== null;
}

export function About() {
  const trace = mainTrace.value;
  const close = (): void => {
    open.value = false;
  };
  return (
    <Dialog open={open.value && trace !== null} title={trace?.name ?? ''} close={close} wide>
      {trace !== null && <Facts trace={trace} />}
    </Dialog>
  );
}

const FORMATS: Readonly<Record<TraceInfo['format'], string>> = {
  vpt: '.vpt',
  folded: 'folded stacks, shown as .vpt',
  cpuprofile: 'V8 CPU profile, shown as .vpt',
  chrome: 'Chrome trace, shown as .vpt',
  mangohud: 'log of MangoHud, shown as .vpt',
  presentmon: 'log of PresentMon, shown as .vpt',
  unreal: 'CSV profile of Unreal Engine, shown as .vpt',
  godot: 'measures of Godot, shown as .vpt',
};

function Facts({ trace }: { readonly trace: TraceInfo }) {
  const facts: [string, string][] = [
    ['Format', FORMATS[trace.format]],
    ['Made by', trace.producer ?? 'unknown'],
    ['Process', trace.target ?? 'none'],
    ...(trace.gpu === null ? [] : [['Graphics', graphicsText(trace.gpu)] as [string, string]]),
    ...(trace.machine === null
      ? []
      : [['Machine', machineText(trace.machine)] as [string, string]]),
    ...(trace.build === null ? [] : [['Build', trace.build] as [string, string]]),
    ['Sources', trace.sources.join(', ')],
    ['Started', trace.startedAt === null ? 'unknown' : new Date(trace.startedAt).toLocaleString()],
    ['Length', trace.durationMs > 0 ? formatMs(trace.durationMs) : 'no times'],
    ['Size', formatBytes(trace.bytes)],
    ['Records', formatCount(trace.records)],
  ];
  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      <Missing trace={trace} />
      <h3>Records by type</h3>
      <ul class="counts">
        {Object.entries(trace.counts).map(([type, count]) => (
          <li key={type}>
            <code>{type}</code> {formatCount(count)}
          </li>
        ))}
      </ul>
    </>
  );
}

function graphicsText({ name, software }: NonNullable<TraceInfo['gpu']>): string {
  return software ? `${name}, which renders on the CPU` : name;
}

function Missing({ trace }: { readonly trace: TraceInfo }) {
  const gaps = timeline.value?.gaps ?? [];
  return (
    <>
      {trace.partial && (
        <p class="note tone-warn">
          <b>Partial.</b> The recording has no clean end: it is still growing, or its recorder was
          killed. The trace contains everything recorded until then.
        </p>
      )}
      {trace.truncated !== null && (
        <p class="note tone-warn">
          <b>Truncated.</b>{' '}
          {trace.truncated === 'disk_full' ? 'The disk was full.' : 'The storage cap was reached.'}{' '}
          Later data was not kept.
        </p>
      )}
      {trace.leftOutSamples > 0 && (
        <p class="note tone-warn">
          <b>Truncated.</b> The call trees are larger than this page can keep:{' '}
          {formatCount(trace.leftOutSamples)} samples end in <code>{LEFT_OUT}</code>.
        </p>
      )}
      {trace.tornBytes > 0 && (
        <p class="note tone-warn">
          <b>Torn end.</b> The last {formatBytes(trace.tornBytes)} of the file were not written
          completely and are left out.
        </p>
      )}
      {gaps.length > 0 && (
        <>
          <h3>Losses</h3>
          <ul class="plain">
            {gaps.slice(0, LISTED).map((gap, index) => (
              <li key={index}>
                {formatClock(gap.t)} <code>{gap.reason}</code> {gap.source ?? ''}{' '}
                {gap.duration > 0 ? formatMs(gap.duration) : ''}{' '}
                {gap.count === null ? '' : `${formatCount(gap.count)} records`}
              </li>
            ))}
            <More count={gaps.length} />
          </ul>
        </>
      )}
      {trace.skippedLines > 0 && (
        <>
          <h3>{formatCount(trace.skippedLines)} lines that are not stacks</h3>
          <ul class="plain">
            {trace.skipped.slice(0, LISTED).map((skipped) => (
              <li key={skipped.line}>
                line {skipped.line}: {skipped.reason}
              </li>
            ))}
            <More count={trace.skippedLines} />
          </ul>
        </>
      )}
    </>
  );
}

/** The number of losses and of skipped lines that are listed. */
const LISTED = 100;

function More({ count }: { readonly count: number }) {
  return count > LISTED ? <li class="muted">and {formatCount(count - LISTED)} more</li> : null;
}
