// `svc stats`: how often the game was opened, and which files it was missing.
import { type CallAnswer, PLATFORM_LIMITS } from '@svc/contracts/platform';
import { bytesText } from '@svc/trace/number-text';
import { defineCommand } from '../../command-line/define-command.ts';
import { parseCount } from '../../command-line/values.ts';
import { formatTable } from '../../output/table.ts';
import { formatCount, formatFields } from '../../output/text.ts';
import { API_OPTION } from '../../platform/api-address.ts';
import { requireFeature } from '../../platform/outdated.ts';
import { withPlatform } from '../../platform/with-platform.ts';
import { usageError } from '../../process/exit-codes.ts';
import { PROJECT_OPTION, projectIdOf } from './project-option.ts';

type Stats = CallAnswer<'projectStats'>;
type Days = Stats['days'];

/** A platform may keep counts for another time than the usual one. */
const MOST_DAYS = 9999;

export const statsCommand = defineCommand({
  name: 'stats',
  summary: 'Show plays, page views, sent bytes and missing files of the game',
  description:
    'The platform counts its own requests, by day in UTC. It stores sums only, without cookies, addresses or identifiers, so the numbers are approximate: a person who plays twice counts twice, and so does a robot that opens the game in a browser, or svc publish when it checks the game.',
  options: [
    API_OPTION,
    PROJECT_OPTION,
    {
      flags: '--days <N>',
      help: `days up to today, usually at most ${PLATFORM_LIMITS.stats_days} (default: 30)`,
      parse: (text: string) => parseCount(text, MOST_DAYS),
    },
  ],
  document: 'stats',
  async run(call) {
    const id = projectIdOf(call);
    const { days } = call.options;
    await withPlatform(call, async ({ platform }) => {
      const most = await requireFeature(platform, 'stats_days');
      if (days !== undefined && days > most) {
        throw usageError(
          `The value "${days}" of --days is not valid.`,
          `This platform keeps counts for ${most} days.`,
        );
      }
      const query = days === undefined ? {} : { days: String(days) };
      const stats = await platform.call('projectStats', { params: { id }, query });
      call.output.result(stats, () => describeStats(stats));
      if (!stats.counted) call.output.note('This platform does not count: SVC_STATS is off there.');
    });
  },
});

function describeStats({ days, missing_files }: Stats): string[] {
  const counted = days.filter(
    ({ views, plays, bytes, missing }) => views + plays + bytes + missing > 0,
  );
  const span = days.length === 1 ? 'Today' : `The last ${days.length} days`;
  if (counted.length === 0) return [`${span} (UTC): nobody opened the page or the game.`];
  return [
    `${span} (UTC):`,
    '',
    ...formatFields(totals(days)),
    '',
    ...dayTable(counted),
    ...releaseLines(days),
    ...missingLines(missing_files),
  ];
}

function totals(days: Days): [string, string][] {
  const sum = (name: 'views' | 'plays' | 'store_plays' | 'bytes' | 'missing'): number =>
    days.reduce((total, day) => total + day[name], 0);
  const [views, plays, fromPage] = [sum('views'), sum('plays'), sum('store_plays')];
  const share = views === 0 ? '' : `, ${Math.round((100 * fromPage) / views)} % of its views`;
  return [
    ['Page views', formatCount(views)],
    ['Plays', `${formatCount(plays)} (${formatCount(fromPage)} on the page${share})`],
    ['Data sent', bytesText(sum('bytes'))],
    ['Missing files', formatCount(sum('missing'))],
  ];
}

function dayTable(days: Days): string[] {
  return formatTable(
    [
      { title: 'DAY' },
      { title: 'VIEWS', align: 'right' },
      { title: 'PLAYS', align: 'right' },
      { title: 'ON THE PAGE', align: 'right' },
      { title: 'DATA', align: 'right' },
      { title: 'MISSING', align: 'right' },
    ],
    days.map(({ day, views, plays, store_plays, bytes, missing }) => [
      ...[day, formatCount(views), formatCount(plays), formatCount(store_plays)],
      ...[bytesText(bytes), formatCount(missing)],
    ]),
  );
}

/** The plays by release. Says nothing if there is only one. */
function releaseLines(days: Days): string[] {
  const plays = new Map<string, number>();
  for (const { releases } of days) {
    for (const { version, plays: more } of releases)
      plays.set(version, (plays.get(version) ?? 0) + more);
  }
  if (plays.size < 2) return [];
  const sorted = [...plays].toSorted(([, one], [, other]) => other - one);
  return [
    '',
    ...formatTable(
      [{ title: 'PLAYS', align: 'right' }, { title: 'VERSION' }],
      sorted.map(([version, count]) => [formatCount(count), version]),
    ),
  ];
}

function missingLines(files: Stats['missing_files']): string[] {
  if (files.length === 0) return [];
  return [
    '',
    ...formatTable(
      [
        { title: 'COUNT', align: 'right' },
        { title: 'MISSING FILE', max: 100 },
      ],
      files.map(({ path, count }) => [formatCount(count), path]),
    ),
  ];
}
