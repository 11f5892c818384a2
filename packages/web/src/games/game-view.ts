// The page of a game in the layout that its owner chose: player, trailer, screenshots, description, releases, developer.
import type { CallAnswer, Game, PageLayout, Release, User } from '@svc/contracts/platform';
import { avatarImage, engineName, formatDay } from '../html/format.ts';
import { type Html, html, type Shown } from '../html/html.ts';
import { renderMarkdown, renderMarkdownParts, summarizeMarkdown } from '../html/markdown.ts';
import { formatBytes } from '../html/sizes.ts';
import type { Page } from '../page/page.ts';
import type { Visit } from '../visit/visit.ts';
import { drawnCover, picture, sharedImage } from './cover.ts';
import { tagList } from './game-grid.ts';
import { playFrame } from './play-frame.ts';
import { provenanceLine } from './provenance.ts';

export type GameView = CallAnswer<'gamePage'>;

const ABOUT_CHARACTERS = 200;
/** The number of top-level blocks in a part of a description: about half a screen of text. */
const BLOCKS_A_PART = 10;
/** The number of releases whose notes are open from the start. */
const RELEASES_SHOWN = 5;

/** Who sees the page: anyone, its owner, or the owner in a preview. */
type Viewer = 'visitor' | 'owner' | 'preview';

/** The page of a game, for visitors and for the owner's preview. */
export function showGame(
  visit: Visit,
  view: GameView,
  { isPlaying, viewer }: { isPlaying: boolean; viewer: Viewer },
): Page {
  const { game, page, embed } = view;
  const live = view.releases.find((release) => release.live) ?? view.releases[0];
  const isolated = live !== undefined && live.isolation !== 'none';
  const path = `/games/${game.slug}`;
  return {
    title: game.title,
    theme: page.layout.theme,
    accent: page.layout.accent,
    islands: ['game'],
    frame: { url: embed.url, isolated },
    feed: { base: `${path}/releases`, title: `Releases of ${game.title}` },
    about: { ...describeGame(visit, view), path },
    body: html`<article class="game ${page.layout.template}">
<header class="hero${page.banner && ' with-banner'}">${page.banner && picture(page.banner, { alt: '', sizes: '(min-width: 80rem) 76rem, 100vw', eager: true, class: 'banner' })}
<div class="hero-text"><h1>${game.title}</h1><p class="by">by <a href="/devs/${view.developer.uid}">${view.developer.name}</a></p>
${page.tagline && html`<p class="lead">${page.tagline}</p>`}</div></header>
${playFrame({ game, embed, poster: poster(view), isPlaying, isolated, orientation: page.layout.orientation })}
<div class="game-columns"><div class="game-main">
${page.layout.sections.map((name) => SECTIONS[name](view))}
</div><aside class="game-side" aria-label="Facts">${facts(view, live)}${viewer === 'owner' && ownerNote(game)}</aside></div>
${viewer === 'visitor' && html`<p class="fine"><a class="quiet-link" href="${path}/report" rel="nofollow">Report this game</a></p>`}
</article>`,
  };
}

function describeGame({ web }: Visit, view: GameView) {
  const { game, page, developer } = view;
  const description =
    page.tagline ??
    (page.description === null
      ? `${game.title} by ${developer.name}: play it in your browser.`
      : summarizeMarkdown(page.description, ABOUT_CHARACTERS));
  const shown = page.banner ?? page.cover ?? page.screenshots[0];
  const image = sharedImage(shown?.url, shown?.variants);
  return {
    description,
    image,
    structured: {
      '@context': 'https://schema.org',
      '@type': 'VideoGame',
      name: game.title,
      description,
      url: `${web.origin}/games/${game.slug}`,
      ...(image === null ? {} : { image }),
      ...(view.category === null ? {} : { genre: view.category.name }),
      keywords: page.tags.join(', '),
      gamePlatform: 'Web browser',
      applicationCategory: 'Game',
      operatingSystem: 'Any',
      softwareVersion: game.version,
      datePublished: game.published_at,
      dateModified: game.updated_at,
      author: {
        '@type': 'Person',
        name: developer.name,
        url: `${web.origin}/devs/${developer.uid}`,
      },
      offers: { '@type': 'Offer', price: '0', priceCurrency: 'EUR' },
    },
  };
}

function poster({ game, page }: GameView): Html {
  const media = page.cover ?? page.banner ?? page.screenshots[0] ?? null;
  if (media === null) return drawnCover(game);
  return picture(media, {
    alt: '',
    sizes: '(min-width: 80rem) 76rem, 100vw',
    eager: true,
    class: 'cover poster',
  });
}

const SECTIONS: Readonly<Record<PageLayout['sections'][number], (view: GameView) => Shown>> = {
  trailer: ({ page, game }) =>
    page.trailer &&
    html`<section aria-labelledby="trailer"><h2 id="trailer">Trailer</h2>
<video class="trailer" src="${page.trailer.url}" controls preload="none" playsinline aria-label="Trailer of ${game.title}"${page.banner && html` poster="${sharedImage(page.banner.url, page.banner.variants)}"`}></video></section>`,
  screenshots: ({ page, game }) =>
    page.screenshots.length > 0 &&
    html`<section aria-labelledby="shots"><h2 id="shots">Screenshots</h2>
<ul class="shots" data-gallery>${page.screenshots.map((shot, index) => html`<li><a href="${shot.url}"${shot.alt !== null && html` data-caption="${shot.alt}"`}>${picture(shot, { alt: `Screenshot ${index + 1} of ${game.title}`, sizes: '(min-width: 60rem) 20rem, 80vw' })}</a></li>`)}</ul></section>`,
  description: ({ page }) =>
    page.description &&
    html`<section aria-labelledby="about"><h2 id="about">About</h2><div class="prose">${inParts(page.description)}</div></section>`,
  releases: ({ game, releases }) => releases.length > 0 && releaseList(game, releases),
  developer: ({ developer }) => developerCard(developer),
};

/** Wraps the parts of a long description, so that the browser lays out each part when it comes near the viewport. */
function inParts(description: string): Shown {
  const parts = renderMarkdownParts(description, BLOCKS_A_PART);
  return parts.length < 2 ? parts : parts.map((part) => html`<div class="part">${part}</div>`);
}

function releaseList(game: Game, releases: readonly Release[]): Html {
  return html`<section aria-labelledby="releases"><h2 id="releases">Releases</h2>
<ol class="releases">${releases.map((release, index) => releaseEntry(release, index < RELEASES_SHOWN))}</ol>
<p class="fine"><a href="/games/${game.slug}/releases">All releases</a> · <a href="/games/${game.slug}/releases.xml">RSS</a> · <a href="/games/${game.slug}/releases.atom">Atom</a></p></section>`;
}

/** One release with its notes. */
export function releaseEntry(release: Release, isOpen: boolean): Html {
  const { version, live, play_url } = release;
  // The live release is played above. Others have an address only if the owner lets players choose them.
  const choice =
    !live &&
    typeof play_url === 'string' &&
    html`<p><a class="button quiet" href="${play_url}" target="_blank" rel="noopener nofollow">Play ${version}</a></p>`;
  return html`<li><details${isOpen && html` open`}><summary><strong>${release.version}</strong>${release.live && html` <span class="mark">current</span>`} <span class="quiet-text">${formatDay(release.created_at)}</span></summary>
${release.notes ? html`<div class="prose">${renderMarkdown(release.notes)}</div>` : html`<p class="quiet-text">No notes.</p>`}${provenanceLine(release)}${choice}</details></li>`;
}

function developerCard(developer: User): Html {
  return html`<section aria-labelledby="maker"><h2 id="maker">Developer</h2><a class="person-link" href="/devs/${developer.uid}">${avatarImage(developer, 48)}<span><strong>${developer.name}</strong><span class="quiet-text">Member since ${formatDay(developer.created_at)}</span></span></a></section>`;
}

function facts({ game, page, category }: GameView, live: Release | undefined): Html {
  const rows: [string, Shown][] = [
    ['Category', category && html`<a href="/categories/${category.id}">${category.name}</a>`],
    ['Engine', engineName(game.engine)],
    ['Version', game.version],
    ['Published', game.published_at && formatDay(game.published_at)],
    ['Updated', live && formatDay(live.created_at)],
    ['Download', live && formatBytes(live.zip_bytes)],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>${tagList(page.tags)}`;
}

/** A box for the owner: links to the dashboard, and how to profile the game. */
function ownerNote(game: Game): Html {
  return html`<section class="owner" aria-labelledby="yours"><h2 id="yours">Your game</h2>
<p><a class="button quiet" href="/dashboard/games/${game.id}">Releases</a> <a class="button quiet" href="/dashboard/games/${game.id}/page">Edit page</a></p>
<details><summary>Profile this game</summary>
<p>Add <code>@svc/collector</code> to the game, play it, and download a <code>.vpt</code> trace. Then open the trace:</p>
<pre><code>svc dashboard game.vpt</code></pre>
<p>Or profile the browser’s process while you play:</p>
<pre><code>svc dashboard --pid PID</code></pre>
<p class="fine">Recordings stay on your machine.</p></details></section>`;
}
