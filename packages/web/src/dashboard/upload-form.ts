// The form for uploading a build.
import type { Game, PlatformLimits, Release } from '@svc/contracts/platform';
import type { BuildLimits } from '@svc/game-build/folder';
import { type Html, html } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';
import { textArea, textField } from './forms/fields.ts';
import type { Outcome } from './forms/outcome.ts';

/**
 * The form. Its fields have the API's names, because it is streamed to the API unchanged. Its script shows the buttons for
 * a folder and for a ZIP file instead of the browser's own input. An API without links can't stage a build.
 */
export function uploadForm(
  game: Game,
  releases: readonly Release[],
  limits: PlatformLimits,
  { hasLinks, outcome }: { readonly hasLinks: boolean; readonly outcome: Outcome | null },
): Html {
  const action = `/dashboard/games/${game.id}/upload`;
  return html`<section class="panel" aria-labelledby="upload"><h2 id="upload">${releases.length === 0 ? 'Upload the first build' : 'Upload a build'}</h2>
<form class="form" method="post" action="${action}" enctype="multipart/form-data" data-upload="/dashboard/games/${game.id}/uploads" data-limits="${JSON.stringify(buildLimits(limits))}">
${textField({ name: 'version', label: 'Version', value: nextVersion(releases), required: true, maxLength: limits.version_characters, pattern: '[A-Za-z0-9.+_\\-]+', hint: 'Each version can be used once.', outcome })}
${textArea({ name: 'notes', label: 'Release notes', rows: 3, maxLength: limits.notes_characters, hint: 'Markdown. Players see them on the page and in the RSS feed.', outcome })}
${buildField(limits)}
<div tabindex="-1" data-status></div>
<p class="actions">${game.taken_down == null && html`<button class="button" data-publish>${game.status === 'published' ? 'Publish this build' : 'Upload and publish'}</button>`}${hasLinks && html`<button class="button quiet" formaction="${action}?stage=true" aria-describedby="stage-hint">Stage</button>`}<button class="button quiet" formaction="${action}?dry_run=true">Check only</button></p>
${hasLinks && html`<p class="hint" id="stage-hint">“Stage” uploads the build and creates a link to play it. Players get it when you make it live.</p>`}</form></section>`;
}

/**
 * The field for the build. Without its script it is a file input for a ZIP file. The script shows what has `data-scripted`,
 * hides what has `data-plain`, and moves the input into the button for a ZIP file.
 */
function buildField({ build_zip_bytes }: PlatformLimits): Html {
  const most = formatBytes(build_zip_bytes);
  return html`<div class="field drop"><label for="build">Build <span data-plain-name>(ZIP file)</span></label><input id="build" name="build" type="file" accept=".zip,application/zip" required aria-describedby="build-hint" data-zip>
<div class="build-ways" data-scripted hidden><label class="button quiet file-button" data-folder-button>Choose a folder<input class="visually-hidden" type="file" webkitdirectory aria-describedby="build-hint" data-folder></label><label class="button quiet file-button" for="build" data-zip-button>Choose a ZIP file</label><span class="quiet-text build-drop">or drop one here</span></div>
<div class="build-chosen" role="status" data-chosen></div>
<p class="hint" id="build-hint"><span data-plain>A ZIP file of at most ${most} with <code>index.html</code> at its top level.</span><span data-scripted hidden>The folder or the ZIP file has <code>index.html</code> at its top level. From a folder, only new and changed files are uploaded. A ZIP file can have at most ${most}.</span> If the build fails a check, nothing is published and the reasons are listed here.</p></div>`;
}

/** The newest version with its last number incremented; `1.0.0` for the first release. */
function nextVersion(releases: readonly Release[]): string {
  const [newest] = releases;
  if (newest === undefined) return '1.0.0';
  return newest.version.replace(/(\d{1,9})(?!.*\d)/, (digits) => String(Number(digits) + 1));
}

/** The limits by which the script checks a folder before it is uploaded. */
function buildLimits(limits: PlatformLimits): BuildLimits {
  return {
    zip_bytes: limits.build_zip_bytes,
    expanded_bytes: limits.build_expanded_bytes,
    file_bytes: limits.build_file_bytes,
    files: limits.build_files,
    path_bytes: limits.build_path_bytes,
    path_levels: limits.build_path_levels,
  };
}
