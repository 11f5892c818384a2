// The player: inserts the game's frame on a click, brings it into view, and fills the screen of a phone with it.

/** Phones and small tablets, in both orientations. A game beside other content is too small there. */
const SMALL_SCREEN = '(pointer: coarse) and ((max-width: 48rem) or (max-height: 32rem))';

/** Starts a player section. If an element is missing, its link still works. */
export function startPlayer(section: HTMLElement): void {
  const stage = section.querySelector<HTMLElement>('.stage');
  const link = section.querySelector<HTMLAnchorElement>('.play');
  const stop = section.querySelector<HTMLButtonElement>('[data-stop]');
  const full = section.querySelector<HTMLButtonElement>('[data-full-screen]');
  const leave = section.querySelector<HTMLButtonElement>('[data-leave]');
  const hint = section.querySelector<HTMLElement>('.player-hint');
  if (stage === null || stop === null || full === null || leave === null || hint === null) return;
  const poster = [...stage.childNodes];
  const focusGame = (): void => stage.querySelector('iframe')?.focus();

  /** For browsers without full screen, such as those of iPhones. */
  const fillWindow = (fills: boolean): void => {
    section.classList.toggle('filling', fills);
    leave.hidden = !fills;
  };
  const fillScreen = async (): Promise<void> => {
    if (!document.fullscreenEnabled) return fillWindow(true);
    await stage.requestFullscreen({ navigationUI: 'hide' });
    await turnScreen(section.dataset['orientation']);
  };
  const play = (frame: HTMLIFrameElement): void => {
    section.classList.add('playing');
    stop.hidden = link === null;
    full.hidden = !document.fullscreenEnabled && !isSmallScreen();
    hint.textContent = adviceFor(section);
    frame.addEventListener('load', () => frame.focus(), { once: true });
  };
  const framed = stage.querySelector('iframe');
  if (framed !== null) play(framed);

  link?.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const frame = makeFrame(section);
    stage.replaceChildren(frame);
    play(frame);
    section.scrollIntoView();
    // The game is still played in the page if the browser rejects this.
    if (isSmallScreen()) fillScreen().catch(() => {});
  });
  stop.addEventListener('click', () => {
    stage.replaceChildren(...poster);
    section.classList.remove('playing');
    fillWindow(false);
    stop.hidden = true;
    full.hidden = true;
    hint.textContent = '';
    link?.focus();
  });
  full.addEventListener('click', () => {
    fillScreen().then(focusGame, () => {
      hint.textContent =
        'This browser does not allow full screen here. Open the game in a new tab.';
    });
  });
  leave.addEventListener('click', () => {
    fillWindow(false);
    focusGame();
  });
}

function isSmallScreen(): boolean {
  return window.matchMedia(SMALL_SCREEN).matches;
}

/** Turns the screen until full screen ends. Few browsers can do that, and only on phones. */
async function turnScreen(orientation: string | undefined): Promise<void> {
  if (orientation === undefined || !('orientation' in screen)) return;
  const turning: { lock?(orientation: string): Promise<void> } = screen.orientation;
  await turning.lock?.(orientation).catch(() => {});
}

function makeFrame(section: HTMLElement): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = section.dataset['title'] ?? 'Game';
  frame.allow = section.dataset['allow'] ?? '';
  frame.allowFullscreen = true;
  frame.src = section.dataset['url'] ?? '';
  return frame;
}

/** Safari and Firefox may not support `credentialless` isolation of a frame. A separate tab is always isolated. */
function adviceFor(section: HTMLElement): string {
  const wanted = section.dataset['isolated'] === 'yes';
  return wanted && !window.crossOriginIsolated
    ? 'If the game does not start, open it in a new tab.'
    : '';
}
