// The form for the text and layout of a game's page, and its conversion from and to the API's fields.
import {
  CATEGORIES,
  type CallAnswer,
  PAGE_SECTIONS,
  type PageLayout,
  type PlatformLimits,
  type StoreMetadata,
} from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';
import { ENGINE_OPTIONS } from './forms/engine.ts';
import {
  checkField,
  formText,
  readTags,
  selectField,
  textArea,
  textField,
} from './forms/fields.ts';
import type { Outcome } from './forms/outcome.ts';

/** The display names of the sections of a page. */
const SECTION_NAMES: Readonly<Record<PageLayout['sections'][number], string>> = {
  trailer: 'Trailer',
  screenshots: 'Screenshots',
  description: 'Description',
  releases: 'Releases',
  developer: 'Developer',
};

/** Converts a stored project to the fields of the form. */
export function asForm({
  game,
  page,
  isolation,
  profiling,
  address,
}: CallAnswer<'project'>): URLSearchParams {
  const form = new URLSearchParams({
    title: game.title,
    engine: game.engine,
    tagline: page.tagline ?? '',
    description: page.description ?? '',
    category: page.category ?? '',
    tags: page.tags.join(', '),
    template: page.layout.template,
    theme: page.layout.theme,
    accent: page.layout.accent ?? '',
    orientation: page.layout.orientation ?? '',
    isolation: isolation ?? '',
    profiling: profiling === true ? 'on' : '',
    // An older API does not know it.
    ...(address === undefined ? {} : { address: address ?? '' }),
  });
  for (const [index, name] of page.layout.sections.entries())
    form.set(`place-${name}`, String(index + 1));
  return form;
}

/** Converts the fields of the form to the metadata that the API accepts. */
export function readMetadata(form: URLSearchParams): StoreMetadata {
  const orNull = (text: string): string | null => (text === '' ? null : text);
  return {
    tagline: orNull(form.get('tagline')?.trim() ?? ''),
    description: orNull(formText(form, 'description')),
    category: CATEGORIES.find(({ id }) => id === form.get('category'))?.id ?? null,
    tags: readTags(form.get('tags') ?? ''),
    layout: readLayout(form),
    isolation: ISOLATIONS.find(([value]) => value === form.get('isolation'))?.[0] || null,
    profiling: form.get('profiling') === 'on',
    ...(form.has('address')
      ? { address: ADDRESSES.find(([value]) => value === form.get('address'))?.[0] || null }
      : {}),
  };
}

/** Reads the layout from the form. */
export function readLayout(form: URLSearchParams): PageLayout {
  const theme = form.get('theme');
  const accent = form.get('accent')?.trim().toLowerCase() ?? '';
  const orientation = form.get('orientation');
  const rank = (name: string): number => Number(form.get(`place-${name}`) ?? 0);
  return {
    template: form.get('template') === 'wide' ? 'wide' : 'classic',
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    accent: accent === '' ? null : accent,
    sections: PAGE_SECTIONS.filter((name) => rank(name) > 0).sort((a, b) => rank(a) - rank(b)),
    // An older API does not know it. It is not sent unless it was chosen.
    ...(orientation === 'landscape' || orientation === 'portrait' ? { orientation } : {}),
  };
}

const ISOLATIONS = [
  ['', 'Automatic'],
  ['credentialless', 'Always (credentialless)'],
  ['require-corp', 'Always (require-corp)'],
  ['none', 'Never'],
] as const;

const ADDRESSES = [
  ['', 'Automatic'],
  ['release', 'One for each release'],
  ['game', 'The same for all releases'],
] as const;

const ORIENTATIONS = [
  ['', 'As the phone is held'],
  ['landscape', 'Landscape'],
  ['portrait', 'Portrait'],
] as const;

/** The form. `base` is the path of the project. `outcome` is the result of its last submission. */
export function pageForm(
  base: string,
  form: URLSearchParams,
  limits: PlatformLimits,
  outcome: Outcome | null,
): Html {
  return html`<form class="form panel" method="post" action="${base}/page" data-page-form>
${textFields(form, limits, outcome)}
${layoutFields(form, outcome)}
<p class="actions save-bar"><button class="button">Save</button><button class="button quiet" formaction="${base}/preview" formtarget="_blank">Preview in a new tab</button></p></form>`;
}

function textFields(form: URLSearchParams, limits: PlatformLimits, outcome: Outcome | null): Html {
  const value = (name: string): string => form.get(name) ?? '';
  const categories = [
    ['', 'None'] as const,
    ...CATEGORIES.map(({ id, name }) => [id, name] as const),
  ];
  return html`<h2>Text</h2>
${textField({ name: 'title', label: 'Title', value: value('title'), required: true, maxLength: limits.title_characters, outcome })}
${textField({ name: 'tagline', label: 'Tagline', value: value('tagline'), maxLength: limits.tagline_characters, hint: 'One sentence, shown on cards and under the title.', outcome })}
${textArea({ name: 'description', label: 'Description', value: value('description'), rows: 14, maxLength: limits.description_characters, hint: 'Markdown: **bold**, *italic*, # heading, - list, [link](https://…). HTML is shown as text.', outcome })}
<div class="field-pair">${selectField({ name: 'category', label: 'Category', value: value('category'), options: categories, outcome })}
${selectField({ name: 'engine', label: 'Engine', value: value('engine'), options: ENGINE_OPTIONS, outcome })}</div>
${textField({ name: 'tags', label: 'Tags', value: value('tags'), hint: `At most ${limits.tags}, separated by commas. Lowercase letters, digits and hyphens only.`, outcome })}`;
}

function layoutFields(form: URLSearchParams, outcome: Outcome | null): Html {
  const value = (name: string): string => form.get(name) ?? '';
  return html`<h2>Layout</h2>
<div class="field-pair">${selectField({
    name: 'template',
    label: 'Template',
    value: value('template'),
    options: [
      ['classic', 'Classic: two columns'],
      ['wide', 'Wide: one column'],
    ],
  })}
${selectField({
  name: 'theme',
  label: 'Theme',
  value: value('theme'),
  options: [
    ['auto', 'Visitor’s setting'],
    ['light', 'Always light'],
    ['dark', 'Always dark'],
  ],
})}</div>
${textField({ name: 'accent', label: 'Accent colour', value: value('accent'), pattern: '#[0-9a-fA-F]{6}', placeholder: '#ffb000', hint: 'Colour of the Play button. Its text is black or white, whichever has more contrast.', outcome })}
${selectField({
  name: 'orientation',
  label: 'Orientation on phones',
  value: value('orientation'),
  options: ORIENTATIONS,
  hint: 'On phones, Play opens the game in full screen, turned to this orientation where the browser can do that.',
})}
<fieldset class="field"><legend>Order of sections</legend><div class="places">${PAGE_SECTIONS.map((name) => sectionPlace(name, value(`place-${name}`)))}</div></fieldset>
${selectField({
  name: 'isolation',
  label: 'Isolation',
  value: value('isolation'),
  options: ISOLATIONS,
  hint: 'Games with threads need cross-origin isolation. By default, it is enabled for builds that need it. Change this only if the detection is wrong.',
})}
${
  form.has('address') &&
  selectField({
    name: 'address',
    label: 'Address of the game',
    value: value('address'),
    options: ADDRESSES,
    hint: 'With an address for each release, players in the middle of a game keep its files when you publish the next one. Choose one address for all if players lose their saves with a release. Unity and Flash games get that by default.',
  })
}
${checkField({
  name: 'profiling',
  label: 'Allow profiling',
  checked: value('profiling') === 'on',
  hint: 'Lets Chrome and Edge measure which functions of your game take time. A game with @svc/collector then records them. This makes the game slightly slower, so allow it only while you look for hitches.',
})}`;
}

function sectionPlace(name: PageLayout['sections'][number], place: string): Html {
  const options = [
    ['0', 'hidden'],
    ...PAGE_SECTIONS.map((_, index) => [String(index + 1), String(index + 1)]),
  ];
  return html`<label class="place"><span>${SECTION_NAMES[name]}</span><select name="place-${name}">${options.map(
    ([id = '', text = '']) =>
      html`<option value="${id}"${id === (place || '0') && html` selected`}>${text}</option>`,
  )}</select></label>`;
}
