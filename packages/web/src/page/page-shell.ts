// The HTML document around a page's content: head, header with search and account menu, footer.

import { avatarImage } from '../html/format.ts';
import { type Html, html, jsonForScript, type Shown } from '../html/html.ts';
import type { Visit } from '../visit/visit.ts';
import type { Web } from '../visit/web.ts';
import { accentColours } from './accent-colours.ts';
import type { Page } from './page.ts';

/** What the document shows of a visit and of the site. */
type Around = Pick<Visit, 'url' | 'session'> & {
  readonly web: Pick<Web, 'origin' | 'name' | 'footerLinks' | 'assets'>;
};

/** The document. `nonce` marks its scripts and its style element. */
export function pageShell(visit: Around, page: Page, nonce: string): Html {
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
${
  page.feed &&
  html`<link rel="alternate" type="application/rss+xml" href="${page.feed.base}.xml" title="${page.feed.title}">
<link rel="alternate" type="application/atom+xml" href="${page.feed.base}.atom" title="${page.feed.title} (Atom)">`
}
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

function aboutTags(web: Around['web'], page: Page): Shown {
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

function accentStyle(wanted: string | null, nonce: string): Shown {
  const colours = accentColours(wanted);
  if (colours === null) return null;
  return html`<style nonce="${nonce}">:root{--game-accent:${colours.accent};--game-accent-ink:${colours.ink}}</style>`;
}

function header(visit: Around, page: Page): Html {
  const { web, url } = visit;
  const session = page.isPreview ? null : visit.session;
  const here = (place: Page['place']): Shown => page.place === place && html` aria-current="page"`;
  const back = encodeURIComponent(pathAfterSignIn(url));
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
<details class="menu"><summary>${avatarImage({ name: session.name, avatar: null }, 30)}<span class="visually-hidden">Account: </span><span class="who">${session.name}</span></summary>
<div class="menu-list"><a href="/devs/${session.uid}">Public page</a><a href="/dashboard/profile">Profile</a><a href="/dashboard/tokens">Tokens</a><a href="/dashboard/notices">Notices</a>
<form method="post" action="/sign-out"><button>Sign out</button></form></div></details>`
}
</nav>
</header>`;
}

/** The path to return to after a sign-in on this page. The pages of the sign-in, and those about the end of sessions, are left. */
function pathAfterSignIn({ pathname, search, searchParams }: URL): string {
  if (!/^\/(?:sign-in|signed-|account-deleted)/.test(pathname)) return pathname + search;
  return searchParams.get('return_to') ?? '/';
}

function footer(web: Around['web']): Html {
  return html`<footer class="foot"><p>${web.name}: games that run in your browser.</p>
<nav aria-label="Footer"><a href="/">Newest</a><a href="/dashboard">Publish a game</a><a href="/feed.xml">RSS</a><a href="/feed.atom">Atom</a>${web.footerLinks.map(({ name, address }) => html`<a href="${address}">${name}</a>`)}</nav></footer>`;
}
