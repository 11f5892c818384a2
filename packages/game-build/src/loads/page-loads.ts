// Finds the files that a page loads: by its tags, its styles and its scripts.
import { type ImportMap, readImportMap } from './import-map.ts';
import { type Load, type LoadKind, MAX_LOADS } from './load.ts';
import { readTags, type Tag } from './page-tags.ts';
import { scriptLoads } from './script-loads.ts';
import { styleLoads } from './style-loads.ts';

export type PageLoads = {
  readonly loads: readonly Load[];
  /** The address of the page's `<base>`. Empty without one. */
  readonly base: string;
  readonly importMaps: readonly ImportMap[];
};

/** The attributes with addresses of each element whose loading does not depend on other attributes. */
const ADDRESSES: Readonly<Record<string, readonly (readonly [string, LoadKind])[]>> = {
  img: [['src', 'resource']],
  video: [
    ['src', 'resource'],
    ['poster', 'extra'],
  ],
  audio: [['src', 'resource']],
  track: [['src', 'extra']],
  frame: [['src', 'resource']],
  embed: [['src', 'resource']],
  object: [['data', 'extra']],
  image: [
    ['href', 'resource'],
    ['xlink:href', 'resource'],
  ],
  use: [
    ['href', 'resource'],
    ['xlink:href', 'resource'],
  ],
  a: [['href', 'link']],
  area: [['href', 'link']],
  form: [['action', 'link']],
};

/** https://html.spec.whatwg.org/#javascript-mime-type and the values that make a script a module or a script. */
const SCRIPT_TYPE =
  /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:jscript|livescript)|)$/i;

/** Files that the program around a game adds, such as Cordova. In a browser the games do without them. */
const ADDED_BY_APPS = /(?:^|\/)(?:cordova|phonegap|capacitor)\.js$/i;

/** The maximum number of images of one `srcset` that are read. */
const MAX_CANDIDATES = 100;

/** The maximum length of the content of a refresh that is read. */
const MAX_REFRESH = 2000;

const LINKS: Readonly<Record<string, LoadKind>> = {
  stylesheet: 'style',
  icon: 'extra',
  'apple-touch-icon': 'extra',
  'apple-touch-icon-precomposed': 'extra',
  'apple-touch-startup-image': 'extra',
  'mask-icon': 'extra',
  manifest: 'extra',
  preload: 'extra',
  modulepreload: 'extra',
  prefetch: 'extra',
};

export function pageLoads(page: string): PageLoads {
  const loads: Load[] = [];
  const maps: ImportMap[] = [];
  let base: string | null = null;
  let templates = 0;
  let media: Media | null = null;
  for (const tag of readTags(page)) {
    if (loads.length >= MAX_LOADS) break;
    const { name, attributes } = tag;
    if (name === 'template') templates = Math.max(0, templates + (tag.isEnd ? -1 : 1));
    if (tag.isEnd) {
      if (name === media?.name) {
        loads.push(...media.loads());
        media = null;
      }
      continue;
    }
    const type = attributes.get('type')?.trim() ?? '';
    if (name === 'base' && attributes.has('href')) base ??= textOf(attributes.get('href') ?? '');
    if (name === 'script' && !attributes.has('src') && templates === 0) {
      if (/^importmap$/i.test(type)) {
        maps.push({ at: tag.at, entries: readImportMap(tag.content) });
      }
    }
    let found = loadsOfTag(tag, type);
    // A script fills in the content of a template, so its addresses may be placeholders.
    if (templates > 0) found = found.map((load) => ({ ...load, kind: 'link' as const }));
    if ((name === 'audio' || name === 'video') && !attributes.has('src')) {
      media = new Media(name, tag.at);
    }
    if (name === 'source' && media !== null) media.add(found);
    else loads.push(...found);
  }
  return { loads, base: base ?? '', importMaps: maps };
}

/** The sources of a sound or video. The browser plays the first one that it can load. */
class Media {
  readonly name: string;
  readonly #at: number;
  readonly #targets: string[] = [];
  #kind: LoadKind = 'resource';

  constructor(name: string, at: number) {
    this.name = name;
    this.#at = at;
  }

  add(loads: readonly Load[]): void {
    for (const { kind, targets } of loads) {
      if (kind === 'link') this.#kind = 'link';
      this.#targets.push(...targets);
    }
  }

  loads(): Load[] {
    if (this.#targets.length === 0) return [];
    return [{ kind: this.#kind, targets: this.#targets, at: this.#at }];
  }
}

function loadsOfTag(tag: Tag, type: string): Load[] {
  const { attributes, at } = tag;
  const style = attributes.get('style') ?? '';
  const inStyle = /url\(/i.test(style)
    ? styleLoads(textOf(style)).map((load) => ({ ...load, at }))
    : [];
  // The page handles the fault itself.
  const handled = attributes.has('onerror');
  const loads = addressesOf(tag, type).map(([written, kind]): Load => {
    const target = textOf(written).trim();
    const isOptional = handled || ADDED_BY_APPS.test(target);
    return { kind: isOptional ? 'link' : kind, targets: [target], at };
  });
  return [...loads, ...inStyle, ...contentLoads(tag, type)].filter(({ targets }) =>
    targets.every((target) => target !== ''),
  );
}

function addressesOf({ name, attributes }: Tag, type: string): (readonly [string, LoadKind])[] {
  const valuesOf = (attribute: string, kind: LoadKind): (readonly [string, LoadKind])[] => {
    const value = attributes.get(attribute);
    return value === undefined ? [] : [[value, kind]];
  };
  switch (name) {
    case 'script': {
      const loads = SCRIPT_TYPE.test(type) && !attributes.has('nomodule');
      return loads ? valuesOf('src', 'script') : [];
    }
    case 'link':
      return linkKind(attributes) === null ? [] : valuesOf('href', linkKind(attributes) ?? 'extra');
    case 'iframe':
      return attributes.has('srcdoc') ? [] : valuesOf('src', 'resource');
    case 'input':
      return /^image$/i.test(type) ? valuesOf('src', 'resource') : [];
    case 'source':
      return [...valuesOf('src', 'resource'), ...sourceSet(attributes)];
    case 'meta':
      return refreshOf(attributes);
    default: {
      const known = Object.hasOwn(ADDRESSES, name) ? (ADDRESSES[name] ?? []) : [];
      const set = name === 'img' ? sourceSet(attributes) : [];
      return [...known.flatMap(([attribute, kind]) => valuesOf(attribute, kind)), ...set];
    }
  }
}

/** What a `<link>` loads, or null. A style sheet that is disabled or an alternative is not needed. */
function linkKind(attributes: ReadonlyMap<string, string>): LoadKind | null {
  const words = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/);
  const kinds = words.flatMap((word) => (Object.hasOwn(LINKS, word) ? (LINKS[word] ?? []) : []));
  if (!kinds.includes('style')) return kinds[0] ?? null;
  return words.includes('alternate') || attributes.has('disabled') ? 'extra' : 'style';
}

function sourceSet(attributes: ReadonlyMap<string, string>): (readonly [string, LoadKind])[] {
  return (attributes.get('srcset') ?? '')
    .split(/,\s|,$|(?<=\s[\d.]{1,12}[wx]),/, MAX_CANDIDATES)
    .map((one) => [one.trim().split(/\s/, 1)[0] ?? '', 'resource'] as const);
}

function refreshOf(attributes: ReadonlyMap<string, string>): (readonly [string, LoadKind])[] {
  if (!/^refresh$/i.test(attributes.get('http-equiv') ?? '')) return [];
  const target = /^[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(
    (attributes.get('content') ?? '').slice(0, MAX_REFRESH).trim(),
  )?.[1];
  return target === undefined ? [] : [[target, 'resource']];
}

/** The loads of the content of a script or style. */
function contentLoads({ name, attributes, content, contentAt }: Tag, type: string): Load[] {
  if (name === 'style') return styleLoads(content, contentAt);
  const isScript = name === 'script' && !attributes.has('src') && SCRIPT_TYPE.test(type);
  return isScript ? scriptLoads(content, contentAt) : [];
}

/** Replaces the character references that occur in addresses. The others are left, and the address then has an `&`. */
function textOf(value: string): string {
  return value.replace(/&(?:amp|quot|apos|lt|gt|#\d{1,7}|#x[\da-f]{1,6});/gi, (reference) => {
    const name = reference.slice(1, -1).toLowerCase();
    if (!name.startsWith('#')) return NAMED[name] ?? reference;
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
  });
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
};
