// Seconds with very many page faults in mapped files.
import { bytesText } from '../../derive/facts/number-text.ts';
import { busiestFiles, fileEvents, secondsOf } from '../findings/busy-seconds.ts';
import { type Rule, wholeSeconds } from '../findings/finding.ts';
import { START_UP_MS } from '../findings/start-up.ts';

/** A fault of a page in memory takes 1 to 5 µs, so these take up to 25 ms of a second: more than a frame. */
const FAULTS_PER_S = 5000;
/** Faults wait for the storage. At 64 KiB and 0.1 ms for each wait, these take 25 ms of a second on a fast disk. */
const STORED_PER_S = 16 * 1_048_576;
/** Fewer seconds may be a level that loads. */
const FEWEST_SECONDS = 3;
const FILES_NAMED = 5;

export const pageFaultStorm: Rule = ({ model }) => {
  const faults = model.assets.filter(({ phase, mapped }) => phase === 'read' && mapped === true);
  const storm = secondsOf(faults.map(fileEvents), START_UP_MS).filter(
    ({ count, stored }) => count >= FAULTS_PER_S || stored >= STORED_PER_S,
  );
  const [worst] = storm.toSorted((a, b) => b.count - a.count);
  if (worst === undefined || storm.length < FEWEST_SECONDS) return null;
  const files = busiestFiles(storm, 'count', 'page faults', FILES_NAMED);
  const stored = storm.reduce((sum, second) => sum + second.stored, 0);
  const total = storm.reduce((sum, second) => sum + second.count, 0);
  const named = files[0]?.label ?? 'a mapped file';
  return {
    id: 'page_fault_storm',
    severity: 'warning',
    title: `Up to ${worst.count.toLocaleString('en-US')} page faults a second in mapped files`,
    detail: `In ${wholeSeconds(storm.length)} of the recording, mapped files caused ${total.toLocaleString('en-US')} page faults${stored === 0 ? '' : ` and ${bytesText(stored)} came from storage`}, most of them in ${named}. A thread that touches a page stops until it is mapped. Touch the pages ahead of their use in another thread (madvise with MADV_WILLNEED or MADV_POPULATE_READ), or read the file in large blocks before the scene starts.`,
    evidence: [
      ...files,
      {
        label: 'busiest second',
        value: worst.count,
        unit: 'page faults',
        t: worst.t,
        duration_ms: 1000,
      },
    ],
    impact: storm.length,
  };
};
