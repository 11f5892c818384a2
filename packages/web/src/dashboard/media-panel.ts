// The images and the trailer of a page as forms that work without JavaScript. An island replaces them.
import type { Media, PlatformLimits, StorePage } from '@svc/contracts/platform';
import { picture } from '../games/cover.ts';
import { type Html, html, jsonForScript, type Shown } from '../html/html.ts';
import { formatBytes } from '../html/sizes.ts';

const IMAGES = 'image/png,image/jpeg,image/webp,image/avif';
const VIDEOS = 'video/mp4,video/webm';

/** An image or video of which a page has one. */
type Slot = {
  readonly name: 'cover' | 'banner' | 'trailer';
  readonly label: string;
  readonly accept: string;
  readonly hint: string;
};

/** The panel. `base` is the path of the project. */
export function mediaPanel(base: string, page: StorePage, limits: PlatformLimits): Html {
  const image = `PNG, JPEG, WebP or AVIF, at most ${formatBytes(limits.image_bytes)}.`;
  const slots: readonly Slot[] = [
    {
      name: 'cover',
      label: 'Cover',
      accept: IMAGES,
      hint: `Shown on cards and behind the Play button. Recommended ratio: 16:10. ${image}`,
    },
    {
      name: 'banner',
      label: 'Banner',
      accept: IMAGES,
      hint: `Shown at the top of the page. Recommended ratio: 4:1. ${image}`,
    },
    {
      name: 'trailer',
      label: 'Trailer',
      accept: VIDEOS,
      hint: `MP4 or WebM, at most ${formatBytes(limits.trailer_bytes)}.`,
    },
  ];
  const data = {
    base,
    slots,
    screenshots: {
      accept: IMAGES,
      most: limits.screenshots,
      hint: `At most ${limits.screenshots}. They are shown in this order. ${image}`,
    },
    altCharacters: limits.alt_characters,
    page: mediaOf(page),
  };
  return html`<section class="panel" id="media" aria-labelledby="pictures"><h2 id="pictures">Images and trailer</h2>
<div data-media><script type="application/json">${jsonForScript(data)}</script>
<div class="media-grid">${slots.map((slot) => slotForms(base, slot, page[slot.name]))}</div>
<h3>Screenshots</h3>
<ol class="shot-list">${shotForms(base, page.screenshots, limits)}</ol>
${
  page.screenshots.length < limits.screenshots
    ? html`<form method="post" action="${base}/media" enctype="multipart/form-data"><input type="hidden" name="metadata" value="{}"><div class="field"><label for="screenshots">Add screenshots</label><input id="screenshots" type="file" name="screenshots" accept="${IMAGES}" multiple required aria-describedby="screenshots-hint"><p class="hint" id="screenshots-hint">${data.screenshots.hint}</p></div><p class="actions"><button class="button">Add</button></p></form>`
    : html`<p class="hint">The limit of ${limits.screenshots} screenshots is reached. Remove one to add another.</p>`
}</div></section>`;
}

/** The part of a page that the island shows. */
function mediaOf({ cover, banner, trailer, screenshots }: StorePage) {
  return { cover, banner, trailer, screenshots };
}

function shotForms(base: string, shots: readonly Media[], limits: PlatformLimits): Html[] {
  return shots.map((shot, index) => {
    const position = { index, isLast: index === shots.length - 1 };
    return shotForm(base, shot, position, limits);
  });
}

function shotForm(
  base: string,
  shot: Media,
  { index, isLast }: { readonly index: number; readonly isLast: boolean },
  limits: PlatformLimits,
): Html {
  const name = `screenshot ${index + 1}`;
  return html`<li class="shot">${picture(shot, { alt: `Screenshot ${index + 1}`, sizes: '16rem' })}<form method="post" action="${base}/arrange"><input type="hidden" name="what" value="${shot.id}">
<label class="field"><span>Alternative text</span><input name="alt" value="${shot.alt ?? ''}" maxlength="${limits.alt_characters}" aria-label="Alternative text of ${name}"></label>
<p class="shot-actions"><button class="button quiet" name="do" value="describe" aria-label="Save the alternative text of ${name}">Save</button>${index > 0 && html`<button class="button quiet" name="do" value="earlier" aria-label="Move ${name} earlier">Earlier</button>`}${!isLast && html`<button class="button quiet" name="do" value="later" aria-label="Move ${name} later">Later</button>`}<button class="button quiet" name="do" value="remove" aria-label="Remove ${name}">Remove</button></p></form></li>`;
}

function slotForms(base: string, { name, label, accept, hint }: Slot, media: Media | null): Html {
  return html`<div class="slot"><h3>${label}</h3>${shown(media, label)}
<form method="post" action="${base}/media" enctype="multipart/form-data"><input type="hidden" name="metadata" value="{}"><label class="visually-hidden" for="${name}">New ${name}</label><input id="${name}" type="file" name="${name}" accept="${accept}" required aria-describedby="${name}-hint"><p class="hint" id="${name}-hint">${hint}</p><p class="actions"><button class="button quiet">${media === null ? 'Upload' : 'Replace'}</button></p></form>
${media !== null && html`<form method="post" action="${base}/arrange"><input type="hidden" name="what" value="${name}"><button class="button quiet" name="do" value="remove" aria-label="Remove the ${name}">Remove</button></form>`}</div>`;
}

function shown(media: Media | null, label: string): Shown {
  if (media === null) return html`<p class="empty-slot">None yet</p>`;
  if (media.kind === 'video') {
    return html`<video src="${media.url}" controls preload="metadata" aria-label="${label}"></video>`;
  }
  return picture(media, { alt: `Current ${label.toLowerCase()}`, sizes: '20rem' });
}
