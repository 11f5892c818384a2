// A page and how it is sent: the shell around it, and the headers that say what it may load, frame and do.
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { IslandName } from '../assets/read-assets.ts';
import { face } from '../html/format.ts';
import type { Visit } from '../visit/visit.ts';
import type { Web } from '../visit/web.ts';
import { type Html, html, jsonForScript, type Shown } from '../html/html.ts';

export type Page = {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** For search engines and previews; without it the page is not to be listed. */
  readonly about?: About;
  /** Which entry of the navigation is this. */
  readonly place?: 'home' | 'search' | 'dashboard';
  /** Words in the search field. */
  readonly query?: string;
  /** The owner's wish for this page. */
  readonly theme?: 'light' | 'dark' | 'auto';
  /** `#rrggbb`. */
  readonly accent?: string | null;
  readonly islands?: readonly IslandName[];
  /** The game that the page may frame: its address, and whether it must be isolated. */
  readonly frame?: { readonly url: string; readonly isolated: boolean };
  /** The owner's preview of a public page: as a stranger sees it, and our own pages may frame it. */
  readonly isPreview?: true;
  /** Whether the page frames our own previews. */
  readonly framesOwn?: true;
  readonly feed?: { readonly href: string; readonly title: string };
  readonly headers?: Readonly<Record<string, string>>;
};

/** What others are told of a page. Addresses are absolute. */
export type About = {
  readonly description: string;
  readonly path: string;
  readonly image?: string | null;
  readonly structured?: unknown;
};

/** Sends a page. `mediaOrigin` is where it may load pictures and trailers from; null for a page that shows none. */
export function sendPage(
  visit: Visit,
  page: Page,
  mediaOrigin: string | null = null,
): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return visit.reply
    .code(page.status ?? 200)
    .headers({ ...pageHeaders(visit.web, page, nonce, mediaOrigin), ...page.headers })
    .type('text/html; charset=utf-8')
    .send(shell(visit, page, nonce).text);
}

/**
 * Headers of every page. Only we ourselves may frame a preview, and nobody any other page; only the page's own scripts run,
 * named by the nonce; and it loads nothing from anywhere but this site, the platform's media and the game that it frames.
 */
function pageHeaders(
  web: Web,
  page: Page,
  nonce: string,
  mediaOrigin: string | null,
): Record<string, string> {
  const media = mediaOrigin === null ? '' : ` ${mediaOrigin}`;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    // A chosen avatar is shown as a blob before it is uploaded.
    `img-src 'self'${media} blob:`,
    `media-src 'self'${media}`,
    "connect-src 'self'",
    `frame-src ${frameSource(page)}`,
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${page.isPreview ? "'self'" : "'none'"}`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    ...(page.frame?.isolated === true ? { 'cross-origin-embedder-policy': 'credentialless' } : {}),
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': page.isPreview ? 'SAMEORIGIN' : 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    'cache-control': 'private, no-cache',
    vary: 'Cookie',
    ...(web.origin.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

function frameSource({ frame, framesOwn }: Page): string {
  if (frame !== undefined) return new URL(frame.url).origin;
  return framesOwn ? "'self'" : "'none'";
}

function shell(visit: Visit, page: Page, nonce: string): Html {
  const { web } = visit;
  const theme = page.theme === undefined || page.theme === 'auto' ? null : page.theme;
  return html`<!doctype html>
<html lang="en"${theme !== null && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>${page.title === web.name ? web.name : `${page.title} · ${web.name}`}</title>
${aboutTags(web, page)}
<link rel="icon" href="${web.assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${web.assets.styles}">
${page.feed && html`<link rel="alternate" type="application/rss+xml" href="${page.feed.href}" title="${page.feed.title}">`}
${accentStyle(page.accent ?? null, nonce)}
${(page.islands ?? []).map((name) => {
  const path = web.assets.island(name);
  return path !== null && html`<script type="module" src="${path}" nonce="${nonce}"></script>`;
})}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header(visit, page)}
<main id="main" tabindex="-1">
${page.body}
</main>
${footer(web)}
</body>
</html>
`;
}

function aboutTags(web: Web, page: Page): Shown {
  const { about } = page;
  if (about === undefined) return html`<meta name="robots" content="noindex">`;
  const address = web.origin + about.path;
  const image = about.image ?? null;
  return html`<meta name="description" content="${about.description}">
<link rel="canonical" href="${address}">
<meta property="og:site_name" content="${web.name}">
<meta property="og:type" content="website">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${about.description}">
<meta property="og:url" content="${address}">
${image !== null && html`<meta property="og:image" content="${image}">`}
<meta name="twitter:card" content="${image === null ? 'summary' : 'summary_large_image'}">
${about.structured !== undefined && html`<script type="application/ld+json">${jsonForScript(about.structured)}</script>`}`;
}

/** The owner's accent with an ink that can be read on it; null for anything but `#rrggbb`. */
export function accentColours(accent: string | null): { accent: string; ink: string } | null {
  if (accent === null || !/^#[0-9a-f]{6}$/.test(accent)) return null;
  return { accent, ink: luminance(accent) > 0.179 ? '#000000' : '#ffffff' };
}

function accentStyle(wanted: string | null, nonce: string): Shown {
  const colours = accentColours(wanted);
  if (colours === null) return null;
  return html`<style nonce="${nonce}">:root{--game-accent:${colours.accent};--game-accent-ink:${colours.ink}}</style>`;
}

/** Relative luminance, 0 to 1, by WCAG 2.2. Above 0.179 black has more contrast than white. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function header(visit: Visit, page: Page): Html {
  const { web, url } = visit;
  const session = page.isPreview ? null : visit.session;
  const here = (place: Page['place']): Shown => page.place === place && html` aria-current="page"`;
  const back = encodeURIComponent(url.pathname + url.search);
  return html`<header class="bar">
<a class="brand" href="/"${here('home')}><img src="${web.assets.icon}" alt="" width="28" height="28"><span>${web.name}</span></a>
<form class="find" action="/search" role="search">
<label class="visually-hidden" for="find">Search games, tags and developers</label>
<input id="find" type="search" name="q" value="${page.query ?? ''}" placeholder="Search games" maxlength="200" required autocomplete="off">
<button class="visually-hidden">Search</button>
</form>
<nav aria-label="Account">
${
  session === null
    ? html`<a class="button quiet" href="/sign-in?return_to=${back}" rel="nofollow">Sign in</a>`
    : html`<a class="button quiet" href="/dashboard"${here('dashboard')}>Dashboard</a>
<details class="menu"><summary>${face({ name: session.name, avatar: null }, 30)}<span class="visually-hidden">Account of </span><span class="who">${session.name}</span></summary>
<div class="menu-list"><a href="/devs/${session.uid}">Public page</a><a href="/dashboard/profile">Profile</a><a href="/dashboard/tokens">Tokens</a>
<form method="post" action="/sign-out"><button>Sign out</button></form></div></details>`
}
</nav>
</header>`;
}

function footer(web: Web): Html {
  return html`<footer class="foot"><p>${web.name}: games that run in your browser, each in a frame of its own.</p>
<nav aria-label="Footer"><a href="/">Newest</a><a href="/dashboard">Publish a game</a><a href="/feed.xml">RSS</a></nav></footer>`;
}
