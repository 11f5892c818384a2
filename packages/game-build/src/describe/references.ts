// Finds the references in a page, a style sheet or a script. It uses patterns instead of parsers, which is enough for warnings.
// Each pattern takes linear time for any text.

/** One reference in a text. */
export type Reference = {
  /** The address as written, without query and fragment. */
  readonly target: string;
  /** `url` for an address that the browser resolves, `string` for a literal in a script that looks like a path. */
  readonly kind: 'url' | 'string';
};

export type References = {
  readonly local: readonly Reference[];
  /** Other hosts that the text loads from. */
  readonly foreignHosts: readonly string[];
};

const MAX_MATCHES = 20_000;

export type TextLanguage = 'html' | 'css' | 'js';

const LOADING_TAG =
  /<(script|link|img|source|audio|video|iframe|embed|object|track|input|image|use|base)\b([^<>]{0,4096})/gi;
const ATTRIBUTE =
  /\b(src|href|data|poster|srcset|rel)\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const LOADING_REL = /stylesheet|icon|preload|prefetch|manifest/i;
const CSS_URL =
  /\burl\(\s{0,8}(?:"([^"\n]{0,2048})"|'([^'\n]{0,2048})'|([^\s"')]{1,2048}))|@import\s{1,8}["']([^"'\n]{1,2048})["']/gi;
const JS_PATH = /(["'`])([^"'`\\\n<>{}|*?:#]{1,200}\.[A-Za-z0-9]{2,8})\1/g;
const JS_FOREIGN =
  /(?:\bimport|\bimportScripts|\bfetch|\bWorker|\bfrom|\.src\s{0,8}=|\bload\w{0,20})(?:\s{0,8}\()?\s{0,8}["'`](?:https?:)?\/\/([^/"'`\s\\?#]{1,253})/g;

/** Finds the references of a text. A page is also searched as a script and a style sheet, because it may contain both. */
export function findReferences(language: TextLanguage, text: string): References {
  const local: Reference[] = [];
  const foreignHosts = new Set<string>();
  const addUrl = (url: string): void => {
    const host = foreignHostOf(url);
    if (host !== null) foreignHosts.add(host);
    else if (!/^(?:[a-z][a-z0-9+.-]*:|#|$)/i.test(url)) {
      local.push({ target: url.replace(/[?#].*$/s, ''), kind: 'url' });
    }
  };
  if (language === 'html') for (const url of pageUrls(text)) addUrl(url);
  if (language !== 'js') for (const url of styleUrls(text)) addUrl(url);
  if (language !== 'css') {
    for (const match of firstMatches(text, JS_FOREIGN))
      foreignHosts.add((match[1] ?? '').toLowerCase());
  }
  if (language === 'js') {
    for (const match of firstMatches(text, JS_PATH)) {
      local.push({ target: match[2] ?? '', kind: 'string' });
    }
  }
  return { local, foreignHosts: [...foreignHosts] };
}

/** The addresses that the tags of a page load. With a `<base>`, only those with another host. */
function pageUrls(text: string): string[] {
  const urls: string[] = [];
  let based = false;
  for (const [, tag = '', attributes = ''] of firstMatches(text, LOADING_TAG)) {
    const values = new Map<string, string>();
    for (const [, name = '', ...quoted] of attributes.matchAll(ATTRIBUTE)) {
      values.set(name.toLowerCase(), quoted.find((value) => value !== undefined) ?? '');
    }
    if (tag.toLowerCase() === 'base') based ||= values.has('href');
    else if (tag.toLowerCase() !== 'link' || LOADING_REL.test(values.get('rel') ?? '')) {
      urls.push(...loadedUrls(values));
    }
  }
  return based ? urls.filter((url) => foreignHostOf(url) !== null) : urls;
}

function loadedUrls(attributes: ReadonlyMap<string, string>): string[] {
  const single = ['src', 'href', 'data', 'poster'].flatMap((name) => attributes.get(name) ?? []);
  const set = attributes.get('srcset')?.split(',') ?? [];
  return [
    ...single.map((url) => url.trim()),
    ...set.map((one) => one.trim().split(/\s/, 1)[0] ?? ''),
  ];
}

/** The first matches. No ordinary text has more. */
function* firstMatches(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let left = MAX_MATCHES;
  for (const match of text.matchAll(pattern)) {
    if (left-- === 0) return;
    yield match;
  }
}

function styleUrls(text: string): string[] {
  return Array.from(firstMatches(text, CSS_URL), (match) => {
    return match.slice(1).find((value) => value !== undefined) ?? '';
  });
}

function foreignHostOf(url: string): string | null {
  return /^(?:https?:)?\/\/([^/?#\\]{1,253})/i.exec(url)?.[1]?.toLowerCase() ?? null;
}

/** The path in the build that an address in the file `from` names, without a leading `/`. Null if it is not in the build. */
export function resolveUrl(from: string, url: string): string | null {
  try {
    const resolved = new URL(
      url,
      `http://build/${from.split('/').map(encodeURIComponent).join('/')}`,
    );
    return resolved.host === 'build' ? decodeURIComponent(resolved.pathname.slice(1)) : null;
  } catch {
    return null;
  }
}
