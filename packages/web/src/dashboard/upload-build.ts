// Uploading a build: the stream through to the API, and what its checker says, entry by entry.
import type { DryRunAnswer, PublishAnswer } from '@svc/contracts/platform';
import { countFiles, formatBytes } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, wantsJson } from '../visit/visit.ts';
import { describeRejection, type Finding, findingList } from './forms/outcome.ts';
import type { DeveloperVisit } from './member.ts';
import { showProject } from './project-page.ts';
import { streamThrough } from './stream-through.ts';

/** How many paths of a list are shown. */
const PATHS_SHOWN = 12;

/** Sends the upload on, as a publish or as a dry run, and tells what came of it. */
export async function uploadBuild(visit: DeveloperVisit): Promise<Answer> {
  const id = pathParam(visit, 'id');
  const isDry = visit.url.searchParams.get('dry_run') === 'true';
  const query = isDry ? ({ dry_run: 'true' } as const) : {};
  try {
    const answer = await visit.patient.open('publish', {
      params: { id },
      query,
      form: streamThrough(visit),
    });
    return isDry ? tellDryRun(visit, await answer.json()) : tellPublish(visit, await answer.json());
  } catch (error) {
    if (wantsJson(visit)) throw error;
    return showProject(visit, describeRejection(error));
  }
}

function tellPublish(
  visit: DeveloperVisit,
  { game, findings }: PublishAnswer,
): Answer | Promise<Answer> {
  const next = `/dashboard/games/${game.id}?done=published`;
  if (wantsJson(visit)) return json({ next, findings });
  if (findings.length === 0) return { to: next };
  const outcome = { status: 200, text: 'Published: players get this release now.' };
  return showProject(visit, outcome, worthALook(findings));
}

function tellDryRun(visit: DeveloperVisit, verdict: DryRunAnswer): Answer | Promise<Answer> {
  const { release, diff, findings } = verdict;
  const text = `This build is fine: ${countFiles(release.file_count)}, ${formatBytes(release.expanded_bytes)} unpacked. Nothing was published.`;
  if (wantsJson(visit)) {
    const against = `Against the live release: ${diff.new.length} new, ${diff.changed.length} changed, ${diff.same.length} the same, ${diff.gone.length} gone.`;
    return json({ text: `${text} ${against}`, findings });
  }
  return showProject(
    visit,
    { status: 200, text },
    html`${worthALook(findings)}${diffList(verdict)}`,
  );
}

function json(value: object): Answer {
  return {
    type: 'application/json; charset=utf-8',
    content: JSON.stringify(value),
    headers: { 'cache-control': 'no-store' },
  };
}

function worthALook(findings: readonly Finding[]): Html {
  if (findings.length === 0) return html``;
  return html`<div class="notice warn"><p>Worth a look:</p>${findingList(findings)}</div>`;
}

function diffList({ diff }: DryRunAnswer): Html {
  const group = (name: string, paths: readonly string[]): Shown =>
    paths.length > 0 &&
    html`<h3>${name} (${paths.length})</h3><ul class="paths">${paths.slice(0, PATHS_SHOWN).map((path) => html`<li><code>${path}</code></li>`)}</ul>${paths.length > PATHS_SHOWN && html`<p class="quiet-text">and ${paths.length - PATHS_SHOWN} more</p>`}`;
  return html`<section class="panel"><h2>Against the live release</h2>${group('New', diff.new)}${group('Changed', diff.changed)}${group('Gone', diff.gone)}<p class="quiet-text">${countFiles(diff.same.length)} unchanged.</p></section>`;
}
