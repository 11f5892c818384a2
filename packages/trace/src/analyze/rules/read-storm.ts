// Seconds with very many reads of files, or very many bytes.
import { bytesText } from '../../derive/facts/number-text.ts';
import type { CounterColumns, TraceModel } from '../../model/trace-model.ts';
import {
  busiestFiles,
  type FileEvents,
  fileEvents,
  type Second,
  secondsOf,
  sumOf,
} from '../findings/busy-seconds.ts';
import { type Rule, wholeSeconds } from '../findings/finding.ts';
import { START_UP_MS } from '../findings/start-up.ts';

/** A read of a cached page takes 2 to 5 µs, so these take up to 25 ms of a second: more than a frame. */
const READS_PER_S = 5000;
/** A disk of a small computer reads little more. From memory, copying this takes about 25 ms. */
const BYTES_PER_S = 128 * 1_048_576;
/** Fewer seconds may be a level that loads. */
const FEWEST_SECONDS = 3;
const FILES_NAMED = 5;
/** From this average size on, larger reads are hardly better. */
const SMALL_READ_BYTES = 64 * 1024;
export const readStorm: Rule = ({ model }) => {
  const events = [...fileReads(model), ...model.counters.flatMap(storageReads)];
  const storm = secondsOf(events, START_UP_MS)
    .map(withoutCounter)
    .filter(
      ({ count, bytes, stored }) => count >= READS_PER_S || Math.max(bytes, stored) >= BYTES_PER_S,
    );
  if (storm.length < FEWEST_SECONDS) return null;
  const isMany = storm.filter(({ count }) => count >= READS_PER_S).length * 2 >= storm.length;
  const amount = ({ count, bytes, stored }: Second): number =>
    isMany ? count : Math.max(bytes, stored);
  const worst = storm.reduce((most, second) => (amount(second) > amount(most) ? second : most));
  const unit = isMany ? 'reads' : 'bytes';
  const files = busiestFiles(storm, isMany ? 'count' : 'bytes', unit, FILES_NAMED);
  return {
    id: 'read_storm',
    severity: 'warning',
    title: isMany
      ? `Up to ${amount(worst).toLocaleString('en-US')} reads of files a second`
      : `Up to ${bytesText(amount(worst))} a second are read`,
    detail: `In ${wholeSeconds(storm.length)} of the recording, ${sumsText(storm)}. ${sourceText(files[0]?.label)} ${adviceFor(storm)}`,
    evidence: [
      ...files,
      { label: 'busiest second', value: amount(worst), unit, t: worst.t, duration_ms: 1000 },
    ],
    impact: storm.length,
  };
};

/** Bytes are those of reads, `stored` those of the counter. Both measure the same bytes, so they are not added. */
function withoutCounter({ t, events }: Second): Second {
  const reads = events.filter(isOfFile);
  const stored = events.filter((event) => !isOfFile(event));
  return {
    t,
    count: sumOf(reads, 'count'),
    bytes: sumOf(reads, 'bytes'),
    stored: sumOf(stored, 'bytes'),
    events: reads,
  };
}

function sumsText(storm: readonly Second[]): string {
  const [reads, bytes, stored] = [
    sumOf(storm, 'count'),
    sumOf(storm, 'bytes'),
    sumOf(storm, 'stored'),
  ];
  return [
    ...(reads > 0
      ? [
          `${reads.toLocaleString('en-US')} reads of files ${bytes > 0 ? `returned ${bytesText(bytes)}` : 'were made'}`,
        ]
      : []),
    ...(stored > 0 ? [`${bytesText(stored)} came from storage`] : []),
  ].join(' and ');
}

function isOfFile({ name }: FileEvents): boolean {
  return name !== null;
}

function fileReads({ assets }: TraceModel): FileEvents[] {
  return assets.filter(({ phase, mapped }) => phase === 'read' && mapped !== true).map(fileEvents);
}

/** A counter that never falls is a running total, as the kernel reports it. Any other one has the bytes of each sample. */
function storageReads({ name, t, value }: CounterColumns): FileEvents[] {
  if (name !== 'io_read_bytes') return [];
  const isTotal = value.every((one, i) => i === 0 || one >= (value[i - 1] ?? 0));
  return Array.from(t.keys())
    .slice(isTotal ? 1 : 0)
    .map((i) => ({
      name: null,
      t: t[i] ?? 0,
      count: 0,
      bytes: (value[i] ?? 0) - (isTotal ? (value[i - 1] ?? 0) : 0),
      stored: 0,
    }));
}

function sourceText(file: string | undefined): string {
  return file === undefined
    ? 'Record the files as well (--probes files) to see which they are.'
    : `Most of it is ${file}.`;
}

function adviceFor(storm: readonly Second[]): string {
  const [reads, bytes] = [sumOf(storm, 'count'), sumOf(storm, 'bytes')];
  return bytes > 0 && bytes / reads < SMALL_READ_BYTES
    ? `A read returns ${Math.round(bytes / reads).toLocaleString('en-US')} bytes on average: read larger blocks, and keep what is read again.`
    : 'Spread the loading over more time, read compressed files, and keep what is read again.';
}
