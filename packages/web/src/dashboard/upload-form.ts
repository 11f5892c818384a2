// The form for uploading a build.
import type { Game, PlatformLimits, Release } from '@svc/contracts/platform';
import { formatBytes } from '../html/format.ts';
import { type Html, html } from '../html/html.ts';
import { textArea, textField } from './forms/fields.ts';
import type { Outcome } from './forms/outcome.ts';

/** The form. Its fields have the API's names, because it is streamed to the API unchanged. */
export function uploadForm(
  game: Game,
  releases: readonly Release[],
  limits: PlatformLimits,
  outcome: Outcome | null,
): Html {
  const action = `/dashboard/games/${game.id}/upload`;
  return html`<section class="panel" aria-labelledby="upload"><h2 id="upload">${releases.length === 0 ? 'Upload the first build' : 'Upload a build'}</h2>
<form class="form" method="post" action="${action}" enctype="multipart/form-data" data-upload>
${textField({ name: 'version', label: 'Version', value: nextVersion(releases), required: true, maxLength: limits.version_characters, pattern: '[A-Za-z0-9.+_\\-]+', hint: 'Each version can be used once.', outcome })}
${textArea({ name: 'notes', label: 'Release notes', rows: 3, maxLength: limits.notes_characters, hint: 'Markdown. Players see them on the page and in the RSS feed.', outcome })}
<div class="field drop"><label for="build">Build (ZIP file)</label><input id="build" name="build" type="file" accept=".zip,application/zip" required aria-describedby="build-hint">
<p class="hint" id="build-hint">A ZIP file of at most ${formatBytes(limits.build_zip_bytes)} with <code>index.html</code> at its top level. If the build fails a check, nothing is published and the reasons are listed here.</p></div>
<div data-status></div>
<p class="actions"><button class="button" data-publish>${game.status === 'published' ? 'Publish this build' : 'Upload and publish'}</button><button class="button quiet" formaction="${action}?dry_run=true">Check only</button></p></form></section>`;
}

/** The newest version with its last number incremented; `1.0.0` for the first release. */
function nextVersion(releases: readonly Release[]): string {
  const [newest] = releases;
  if (newest === undefined) return '1.0.0';
  return newest.version.replace(/(\d{1,9})(?!.*\d)/, (digits) => String(Number(digits) + 1));
}
