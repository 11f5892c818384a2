// Writes what was collected from a Chrome trace as records.

import { endOfRecord } from '../format/end-of-record.ts';
import { LATEST_T_MS } from '../format/limits.ts';
import type { KnownRecord, SpanRecord } from '../format/records.ts';
import { cleanName } from '../vpt/clean-name.ts';
import { roundMs } from '../vpt/format-record.ts';
import { framesOf } from './chrome-frames.ts';
import type { ChromeRecording } from './chrome-recording.ts';
import { type ChromeThread, type Interval, WORK_US } from './chrome-thread.ts';
import { type ThreadProfile, writeProfiles } from './write-profiles.ts';
import { StacksWriter } from './write-stacks.ts';

/** Passes the records to `put`. Returns the number of samples and nodes that could not be read. */
export function writeRecording(
  recording: ChromeRecording,
  put: (record: KnownRecord) => void,
): number {
  const main = recording.mainThread();
  if (main === null) return 0;
  const { origin } = recording;
  let written = 0;
  const counted = (record: KnownRecord): void => {
    written++;
    put(record);
  };
  const timely = (record: KnownRecord): void => {
    if (record.t >= 0 && endOfRecord(record) <= LATEST_T_MS) counted(record);
    else recording.unreadable++;
  };
  for (const record of pageRecords(recording, main, origin)) timely(record);
  const writer = new StacksWriter(counted);
  const profiles = threadProfiles(recording, main);
  writeProfiles(profiles, writer, origin);
  writer.finish();
  for (const ts of recording.bufferFull.trimmed()) {
    timely({ type: 'loss', t: roundMs(Math.max(0, ts - origin) / 1000), reason: 'buffer_full' });
  }
  if (written > 0) for (const record of choiceOf(recording, main)) put(record);
  return profiles.reduce((sum, { profile }) => sum + profile.unreadable, 0);
}

function pageRecords(
  recording: ChromeRecording,
  main: ChromeThread,
  origin: number,
): readonly KnownRecord[] {
  const own = ofProcess(recording, main);
  const draws = own.flatMap((thread) => [...thread.draws.trimmed()]);
  return [
    ...framesOf(main, draws, origin),
    ...longTasks(main, origin),
    ...spansOfWork(recording, main, origin),
    ...recording.loads.records(main, origin),
    ...(recording.timings.get(main.pid)?.records(origin) ?? []),
  ];
}

/** The spans of rendering, garbage collection, image decodes and the GPU process. */
export function spansOfWork(
  recording: ChromeRecording,
  main: ChromeThread,
  origin: number,
): readonly KnownRecord[] {
  const own = ofProcess(recording, main);
  return [
    ...spans(main.rendering, 'rendering', origin),
    ...spans(main.collections, 'gc', origin),
    ...spans(
      own.flatMap(({ decodes }) => decodes),
      'image decode',
      origin,
    ),
    ...spans(gpuTasks(recording), 'gpu process', origin),
  ];
}

function ofProcess(recording: ChromeRecording, { pid }: ChromeThread): ChromeThread[] {
  return [...recording.threads.values()].filter((thread) => thread.pid === pid);
}

/** The names that Chrome gives to the thread that sends work to the GPU, in a process of its own or in the browser's. */
const GPU_THREADS: ReadonlySet<string> = new Set(['CrGpuMain', 'Chrome_InProcGpuThread']);

function gpuTasks({ threads }: ChromeRecording): Interval[] {
  return [...threads.values()]
    .filter(({ name }) => GPU_THREADS.has(name))
    .flatMap((thread) => thread.tasksOf(WORK_US))
    .map((task) => ({ ...task, name: 'GPU process' }));
}

/** States which page is shown if the file has several. */
function choiceOf({ renderers }: ChromeRecording, { pid }: ChromeThread): KnownRecord[] {
  if (renderers < 2) return [];
  const text = `The recording has ${renderers} page processes. This trace shows process ${cleanName(pid)}, which has the most frames.`;
  return [{ type: 'log', t: 0, level: 'info', text }];
}

/** The most scripts of one long task, and the longest name of one in UTF-16 units, so that a line stays short. */
const SCRIPTS = 100;
const SCRIPT_LENGTH = 1000;

function longTasks({ longTasks: tasks, calls }: ChromeThread, origin: number): KnownRecord[] {
  const outermost = outermostOf(calls);
  let next = 0;
  return tasks
    .toSorted((a, b) => a.ts - b.ts)
    .flatMap((task): KnownRecord[] => {
      const end = task.ts + task.dur;
      while (next < outermost.length && (outermost[next]?.ts ?? 0) < task.ts) next++;
      const scripts: { name: string; duration_ms: number }[] = [];
      for (; next < outermost.length && (outermost[next]?.ts ?? end) < end; next++) {
        const { name, dur } = outermost[next] ?? task;
        scripts.push({
          name: name.slice(0, SCRIPT_LENGTH).toWellFormed(),
          duration_ms: roundMs(dur / 1000),
        });
      }
      scripts.sort((a, b) => b.duration_ms - a.duration_ms).splice(SCRIPTS);
      if (task.ts < origin) return [];
      const t = roundMs((task.ts - origin) / 1000);
      const duration_ms = roundMs(task.dur / 1000);
      return [{ type: 'longtask', t, duration_ms, ...(scripts.length > 0 && { scripts }) }];
    });
}

/** The intervals that are in no other interval, in order of time. */
function outermostOf(intervals: readonly Interval[]): Interval[] {
  let end = Number.NEGATIVE_INFINITY;
  return intervals
    .toSorted((a, b) => a.ts - b.ts || b.dur - a.dur)
    .filter(({ ts, dur }) => {
      if (ts < end) return false;
      end = ts + dur;
      return true;
    });
}

function spans(intervals: readonly Interval[], track: string, origin: number): SpanRecord[] {
  return intervals
    .filter(({ ts }) => ts >= origin)
    .toSorted((a, b) => a.ts - b.ts)
    .map(({ name, ts, dur }) => ({
      type: 'span',
      t: roundMs((ts - origin) / 1000),
      duration_ms: roundMs(dur / 1000),
      name,
      track,
    }));
}

/** All profiles that have samples. The stacks of each thread have its name at their root; the main thread is first. */
export function threadProfiles(
  recording: ChromeRecording,
  main: ChromeThread,
): (ThreadProfile & { readonly pid: string })[] {
  const recorded = [...recording.profiles.values()].filter(({ profile }) => profile.samples > 0);
  const isMain = (thread: string): boolean => thread === main.thread || recorded.length === 1;
  return recorded
    .map(({ profile, thread }) => {
      const [pid = '', tid = ''] = thread.split(':');
      if (isMain(thread)) {
        return { pid, profile, root: { name: 'main thread', place: '', category: 'main' } };
      }
      const known = recording.threads.get(thread)?.name ?? '';
      const name = cleanName(`${known === '' ? 'thread' : known} ${tid}`);
      return { pid, profile, root: { name, place: '', category: 'thread' } };
    })
    .sort((a, b) => Number(b.root?.category === 'main') - Number(a.root?.category === 'main'));
}
