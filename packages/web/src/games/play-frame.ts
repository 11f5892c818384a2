// Play in place: a poster until somebody clicks, then the frame that lets threads, saves, full screen and gamepads work.
import type { Game } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';

export type PlayFrame = {
  readonly game: Pick<Game, 'title' | 'slug'>;
  readonly embed: { readonly url: string; readonly allow: string };
  readonly poster: Html;
  /** Whether the frame stands in the page from the start: a browser without JavaScript comes here by a link. */
  readonly isPlaying: boolean;
  readonly isolated: boolean;
};

/** The stage. An island puts the frame in on a click; without it the link asks for a page that has it. */
export function playFrame({ game, embed, poster, isPlaying, isolated }: PlayFrame): Html {
  return html`<section id="player" class="player" aria-label="Play ${game.title}" data-player data-url="${embed.url}" data-allow="${embed.allow}" data-title="${game.title}" data-isolated="${isolated ? 'yes' : 'no'}">
<div class="stage">${
    isPlaying
      ? html`<iframe src="${embed.url}" title="${game.title}" allow="${embed.allow}" allowfullscreen></iframe>`
      : html`${poster}<a class="play" href="/games/${game.slug}?play=1#player" rel="nofollow"><svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M7 4.500v15c0 .9 1 1.400 1.700.900l11-7.500a1.100 1.100 0 0 0 0-1.800l-11-7.500C8 3.100 7 3.600 7 4.500z" fill="currentColor"/></svg>Play</a>`
  }</div>
<div class="player-bar"><p class="player-hint" role="status"></p>
<button type="button" class="button quiet" data-stop hidden>Stop</button>
<button type="button" class="button quiet" data-full-screen hidden>Full screen</button>
<a class="button quiet" href="${embed.url}" target="_blank" rel="noopener">Open in its own tab</a></div>
</section>`;
}
