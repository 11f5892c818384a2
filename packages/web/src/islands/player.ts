// The player: inserts the game's frame on a click, and advises to open a new tab if the browser can't isolate the frame.

/** Starts a player section. If an element is missing, its link still works. */
export function startPlayer(section: HTMLElement): void {
  const stage = section.querySelector<HTMLElement>('.stage');
  const link = section.querySelector<HTMLAnchorElement>('.play');
  const stop = section.querySelector<HTMLButtonElement>('[data-stop]');
  const full = section.querySelector<HTMLButtonElement>('[data-full-screen]');
  const hint = section.querySelector<HTMLElement>('.player-hint');
  if (stage === null || stop === null || full === null || hint === null) return;
  const poster = [...stage.childNodes];

  const play = (frame: HTMLIFrameElement): void => {
    section.classList.add('playing');
    stop.hidden = link === null;
    full.hidden = !document.fullscreenEnabled;
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
  });
  stop.addEventListener('click', () => {
    stage.replaceChildren(...poster);
    section.classList.remove('playing');
    stop.hidden = true;
    full.hidden = true;
    hint.textContent = '';
    link?.focus();
  });
  full.addEventListener('click', () => {
    stage.requestFullscreen().then(
      () => stage.querySelector('iframe')?.focus(),
      () => {
        hint.textContent =
          'This browser does not allow full screen here. Open the game in a new tab.';
      },
    );
  });
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
