// The pictures and the trailer of a page as forms that work by themselves; an island takes their place where it runs.
import type { Media, PlatformLimits, StorePage } from '@svc/contracts/platform';
import { picture } from '../games/cover.ts';
import { formatBytes } from '../html/format.ts';
import { type Html, html, jsonForScript, type Shown } from '../html/html.ts';

const IMAGES = 'image/png,image/jpeg,image/webp,image/avif';
const VIDEOS = 'video/mp4,video/webm';

/** The panel; `base` is the address of the project. */
export function mediaPanel(base: string, page: StorePage, limits: PlatformLimits): Html {
  const image = `PNG, JPEG, WebP or AVIF, at most ${formatBytes(limits.image_bytes)}.`;
  const slots = [
    ['cover', 'Cover', IMAGES, `On cards and behind Play. 16:10 fits best. ${image}`],
    ['banner', 'Banner', IMAGES, `Across the top of the page. 4:1 fits best. ${image}`],
    ['trailer', 'Trailer', VIDEOS, `MP4 or WebM, at most ${formatBytes(limits.trailer_bytes)}.`],
  ] as const;
  const data = {
    base,
    slots: slots.map(([name, label, accept, hint]) => ({ name, label, accept, hint })),
    screenshots: {
      accept: IMAGES,
      most: limits.screenshots,
      hint: `At most ${limits.screenshots}, the first one is seen first. ${image}`,
    },
    altCharacters: limits.alt_characters,
    page: mediaOf(page),
  };
  return html`<section class="panel" id="media" aria-labelledby="pictures"><h2 id="pictures">Pictures and trailer</h2>
<div data-media><script type="application/json">${jsonForScript(data)}</script>
<div class="media-grid">${slots.map(([name, label, accept, hint]) => slot(base, name, label, page[name], accept, hint))}</div>
<h3>Screenshots</h3>
<ol class="shot-list">${page.screenshots.map((shot, index) => shotForms(base, shot, index, page.screenshots.length, limits))}</ol>
${
  page.screenshots.length < limits.screenshots
    ? html`<form method="post" action="${base}/media" enctype="multipart/form-data"><input type="hidden" name="metadata" value="{}"><div class="field"><label for="screenshots">Add screenshots</label><input id="screenshots" type="file" name="screenshots" accept="${IMAGES}" multiple required aria-describedby="screenshots-hint"><p class="hint" id="screenshots-hint">${data.screenshots.hint}</p></div><p class="actions"><button class="button">Add</button></p></form>`
    : html`<p class="hint">There are ${limits.screenshots} screenshots: remove one to add another.</p>`
}</div></section>`;
}

/** What the island needs of a page. */
function mediaOf({ cover, banner, trailer, screenshots }: StorePage) {
  return { cover, banner, trailer, screenshots };
}

function shotForms(
  base: string,
  shot: Media,
  index: number,
  count: number,
  limits: PlatformLimits,
): Html {
  const name = `screenshot ${index + 1}`;
  return html`<li class="shot">${picture(shot, { alt: `Screenshot ${index + 1}`, sizes: '16rem' })}<form method="post" action="${base}/arrange"><input type="hidden" name="what" value="${shot.id}">
<label class="field"><span>What it shows</span><input name="alt" value="${shot.alt ?? ''}" maxlength="${limits.alt_characters}" aria-label="What ${name} shows"></label>
<p class="shot-actions"><button class="button quiet" name="do" value="describe" aria-label="Save what ${name} shows">Save</button>${index > 0 && html`<button class="button quiet" name="do" value="earlier" aria-label="Move ${name} earlier">Earlier</button>`}${index < count - 1 && html`<button class="button quiet" name="do" value="later" aria-label="Move ${name} later">Later</button>`}<button class="button quiet" name="do" value="remove" aria-label="Remove ${name}">Remove</button></p></form></li>`;
}

function slot(
  base: string,
  name: 'cover' | 'banner' | 'trailer',
  label: string,
  media: Media | null,
  accept: string,
  hint: string,
): Html {
  return html`<div class="slot"><h3>${label}</h3>${shown(media, label)}
<form method="post" action="${base}/media" enctype="multipart/form-data"><input type="hidden" name="metadata" value="{}"><label class="visually-hidden" for="${name}">New ${name}</label><input id="${name}" type="file" name="${name}" accept="${accept}" required aria-describedby="${name}-hint"><p class="hint" id="${name}-hint">${hint}</p><p class="actions"><button class="button quiet">${media === null ? 'Upload' : 'Replace'}</button></p></form>
${media !== null && html`<form method="post" action="${base}/arrange"><input type="hidden" name="what" value="${name}"><button class="button quiet" name="do" value="remove" aria-label="Remove the ${name}">Remove</button></form>`}</div>`;
}

function shown(media: Media | null, label: string): Shown {
  if (media === null) return html`<p class="empty-slot">None yet</p>`;
  if (media.kind === 'video') {
    return html`<video src="${media.url}" controls preload="metadata" aria-label="${label}"></video>`;
  }
  return picture(media, { alt: `${label} as it is now`, sizes: '20rem' });
}
