// Uploads a build: streams it to the API to publish, stage or check it, and shows the findings of the check.
import type { DryRunAnswer, PublishAnswer } from '@svc/contracts/platform';
import { type Html, html, type Shown } from '../html/html.ts';
import { countFiles, formatBytes } from '../html/sizes.ts';
import type { Answer } from '../routes/route.ts';
import { pathParam, type Visit, wantsJson } from '../visit/visit.ts';
import { describeRejection, type Finding, findingList } from './forms/outcome.ts';
import type { DeveloperVisit } from './member.ts';
import { afterLink, stagedNotice } from './new-link.ts';
import { showProject } from './project-page.ts';
import { streamThrough } from './stream-through.ts';

/** The maximum number of paths that are listed in a group. */
const PATHS_SHOWN = 12;

/** Sends the upload to the API and shows the result. */
export async function uploadBuild(visit: DeveloperVisit): Promise<Answer> {
  const id = pathParam(visit, 'id');
  const query = publishQuery(visit);
  try {
    const answer = await visit.uploadApi.open('publish', {
      params: { id },
      query,
      form: streamThrough(visit),
    });
    return isDryRun(query)
      ? answerDryRun(visit, await answer.json())
      : answerPublish(visit, await answer.json());
  } catch (error) {
    if (wantsJson(visit)) throw error;
    return showProject(visit, describeRejection(error));
  }
}

type PublishQuery = { dry_run?: 'true'; stage?: 'true' };

/** What the API is to do with a build, by the address of the form's button: publish it, stage it or check it. */
export function publishQuery({ url: { searchParams } }: Visit): PublishQuery {
  return {
    ...(searchParams.get('dry_run') === 'true' && { dry_run: 'true' }),
    ...(searchParams.get('stage') === 'true' && { stage: 'true' }),
  };
}

/** Whether the API checks the build and stores nothing. */
export function isDryRun(query: PublishQuery): boolean {
  return query.dry_run === 'true';
}

function answerPublish(visit: DeveloperVisit, answer: PublishAnswer): Answer | Promise<Answer> {
  if (wantsJson(visit)) return publishedJson(answer);
  const { game, findings, preview } = answer;
  if (findings.length === 0) return { to: pageAfter(answer) };
  if (preview) {
    return showProject(visit, null, {
      more: html`${stagedNotice(game, preview)}${warningNotice(findings)}`,
    });
  }
  const outcome = { status: 200, text: 'Published. Players now get this release.' };
  return showProject(visit, outcome, { more: warningNotice(findings) });
}

function answerDryRun(visit: DeveloperVisit, verdict: DryRunAnswer): Answer | Promise<Answer> {
  if (wantsJson(visit)) return verdictJson(verdict);
  return showProject(
    visit,
    { status: 200, text: describeVerdict(verdict) },
    { more: html`${warningNotice(verdict.findings)}${diffList(verdict)}` },
  );
}

/** The page that says what was done with the build. An older API sends no link. */
function pageAfter({ game, preview }: PublishAnswer): string {
  if (preview) return afterLink(game.id, 'staged', preview);
  return `/dashboard/games/${game.id}?done=published`;
}

function describeVerdict({ release }: DryRunAnswer): string {
  return `The build passed all checks: ${countFiles(release.file_count)}, ${formatBytes(release.expanded_bytes)} unpacked. Nothing was published.`;
}

/** The result of a publish for the island: the next address, the warnings, and two texts if the build is staged. */
export function publishedJson(answer: PublishAnswer): Answer {
  const { findings, preview } = answer;
  const next = pageAfter(answer);
  if (!preview) return json({ next, findings });
  const warned = findings.length === 0 ? '' : ' The build has these warnings:';
  const text = `Version ${preview.version} is staged. Players can’t see it yet.${warned}`;
  return json({ text, next, next_name: 'Show the link', findings });
}

/** The result of a dry run for the island: a text and the warnings. */
export function verdictJson(verdict: DryRunAnswer): Answer {
  const { diff, findings } = verdict;
  const comparison = `Compared with the live release: ${diff.new.length} new, ${diff.changed.length} changed, ${diff.same.length} unchanged, ${diff.gone.length} removed.`;
  return json({ text: `${describeVerdict(verdict)} ${comparison}`, findings });
}

/** A response that is not cached. */
export function json(value: object): Answer {
  return {
    type: 'application/json; charset=utf-8',
    content: JSON.stringify(value),
    headers: { 'cache-control': 'no-store' },
  };
}

function warningNotice(findings: readonly Finding[]): Html {
  if (findings.length === 0) return html``;
  return html`<div class="notice warn"><p>Warnings:</p>${findingList(findings)}</div>`;
}

function diffList({ diff }: DryRunAnswer): Html {
  const group = (name: string, paths: readonly string[]): Shown =>
    paths.length > 0 &&
    html`<h3>${name} (${paths.length})</h3><ul class="paths">${paths.slice(0, PATHS_SHOWN).map((path) => html`<li><code>${path}</code></li>`)}</ul>${paths.length > PATHS_SHOWN && html`<p class="quiet-text">and ${paths.length - PATHS_SHOWN} more</p>`}`;
  return html`<section class="panel"><h2>Compared with the live release</h2>${group('New', diff.new)}${group('Changed', diff.changed)}${group('Removed', diff.gone)}<p class="quiet-text">${countFiles(diff.same.length)} unchanged.</p></section>`;
}
