// The player: a poster until the visitor clicks Play, then a frame that allows threads, storage, full screen and gamepads.
import type { Game, PageLayout } from '@svc/contracts/platform';
import { type Html, html } from '../html/html.ts';

type PlayFrame = {
  readonly game: Pick<Game, 'title' | 'slug' | 'play_url'>;
  readonly embed: { readonly url: string; readonly allow: string };
  readonly poster: Html;
  /** Whether the page contains the frame from the start, for browsers without JavaScript. */
  readonly isPlaying: boolean;
  readonly isolated: boolean;
  /** How a phone is held for the game. */
  readonly orientation: PageLayout['orientation'];
};

/** The player. The island inserts the frame on a click. Without JavaScript, the link opens a page that contains it. */
export function playFrame({
  game,
  embed,
  poster,
  isPlaying,
  isolated,
  orientation,
}: PlayFrame): Html {
  return html`<section id="player" class="player" aria-label="Play ${game.title}" data-player data-url="${embed.url}" data-allow="${embed.allow}" data-title="${game.title}" data-isolated="${isolated ? 'yes' : 'no'}"${orientation !== undefined && html` data-orientation="${orientation}"`}>
<div class="stage">${
    isPlaying
      ? html`<iframe src="${embed.url}" title="${game.title}" allow="${embed.allow}" allowfullscreen></iframe>`
      : html`${poster}<a class="play" href="/games/${game.slug}?play=1#player" rel="nofollow"><svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M7 4.500v15c0 .9 1 1.400 1.700.900l11-7.500a1.100 1.100 0 0 0 0-1.800l-11-7.500C8 3.100 7 3.600 7 4.500z" fill="currentColor"/></svg>Play</a>`
  }</div>
<button type="button" class="leave" data-leave hidden>Leave full screen</button>
<div class="player-bar"><p class="player-hint" role="status"></p>
<button type="button" class="button quiet" data-stop hidden>Stop</button>
<button type="button" class="button quiet" data-full-screen hidden>Full screen</button>
<a class="button quiet" href="${game.play_url ?? embed.url}" target="_blank" rel="noopener">Open in a new tab</a></div>
</section>`;
}
