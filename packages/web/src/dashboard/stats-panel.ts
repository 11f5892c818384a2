// How often a game was opened in the last days, and which files it was missing.
import type { CallAnswer, DayStats } from '@svc/contracts/platform';
import { formatDay } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';
import { table } from './forms/table.ts';

export type GameStats = CallAnswer<'projectStats'>;

const BARS_HEIGHT = 48;
const FILES_SHOWN = 5;

export function statsPanel({ counted, days, missing_files }: GameStats): Html {
  const sum = (name: 'views' | 'plays' | 'store_plays' | 'bytes' | 'missing'): number =>
    days.reduce((total, day) => total + day[name], 0);
  const [views, plays, onPage] = [sum('views'), sum('plays'), sum('store_plays')];
  const nothing = views + plays + sum('bytes') + sum('missing') === 0;
  return html`<section class="panel" aria-labelledby="stats"><h2 id="stats">Plays</h2>
${!counted && html`<p class="quiet-text">This server does not count plays.</p>`}
${
  nothing
    ? counted &&
      html`<p class="quiet-text">Nobody has opened the page or the game since ${formatDay(`${days[0]?.day}T00:00:00.000Z`)}.</p>`
    : html`<p class="quiet-text">The last ${days.length} days</p>
<dl class="totals">${total('Plays', count(plays))}${total('Page views', count(views))}${total('Conversion', views === 0 ? '–' : `${Math.round((100 * onPage) / views)} %`)}${total('Data sent', formatBytes(sum('bytes')))}${total('Missing files', count(sum('missing')))}</dl>
${bars(days)}
${missing_files.length > 0 && missingFiles(missing_files)}
<details class="more-days"><summary>By day</summary>${dayTable(days)}</details>`
}
${counted && html`<p class="fine">Counted by the server from its own requests, without cookies, addresses or identifiers. The numbers are approximate. Conversion is the plays that began on the page, divided by its views.</p>`}</section>`;
}

function total(name: string, value: string): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function count(number: number): string {
  return number.toLocaleString('en');
}

/** One bar a day. The table below has the same numbers, so readers of the page skip the drawing. */
function bars(days: readonly DayStats[]): Html {
  const most = Math.max(1, ...days.map(({ plays }) => plays));
  const caption = html`<p class="hint">Plays a day. Most on one day: ${count(most)}</p>`;
  return html`<svg class="bars" viewBox="0 0 ${days.length * 10} ${BARS_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${days.map(
    ({ day, plays }, index) => {
      const height = Math.round((BARS_HEIGHT * plays) / most);
      return html`<rect x="${index * 10 + 1}" y="${BARS_HEIGHT - height}" width="8" height="${height}"><title>${day}: ${count(plays)}</title></rect>`;
    },
  )}</svg>${days.length > 1 && caption}`;
}

function missingFiles(files: GameStats['missing_files']): Html {
  return html`<h3>Missing files</h3><p class="quiet-text">Files that the game asked for and that its build does not have.</p>
<ul class="missing-files">${files.slice(0, FILES_SHOWN).map(({ path, count: times }) => html`<li><code class="wrapping">${path}</code> <span class="quiet-text">${count(times)}</span></li>`)}</ul>`;
}

function dayTable(days: readonly DayStats[]): Html {
  const counted = days.filter(
    ({ views, plays, bytes, missing }) => views + plays + bytes + missing > 0,
  );
  return table(
    'Plays by day',
    ['Day', 'Views', 'Plays', 'Data', 'Missing', 'Releases'],
    counted
      .toReversed()
      .map(({ day, views, plays, bytes, missing, releases }) => [
        formatDay(`${day}T00:00:00.000Z`),
        ...[count(views), count(plays), formatBytes(bytes), count(missing)],
        releaseList(releases),
      ]),
  );
}

function releaseList(releases: DayStats['releases']): Shown {
  return releases.map(({ version, plays }) => `${version}: ${count(plays)}`).join(', ');
}
