// The words for a second of a process.
import { bytesText, type ProcessMoment } from '@svc/trace';

/** What was measured, such as `CPU 187 % of one core, RSS 110 MiB, 10 MiB more than before.` */
export function processText({ cpu_percent, rss_bytes, rise_bytes }: ProcessMoment): string {
  const facts = [
    ...(cpu_percent === null ? [] : [`CPU ${Math.round(cpu_percent)} % of one core`]),
    ...(rss_bytes === null ? [] : [`RSS ${bytesText(rss_bytes)}`]),
    ...(rise_bytes === null || rise_bytes === 0
      ? []
      : [`${bytesText(Math.abs(rise_bytes))} ${rise_bytes > 0 ? 'more' : 'less'} than before`]),
  ];
  return facts.length === 0 ? 'Nothing was measured.' : `${facts.join(', ')}.`;
}
