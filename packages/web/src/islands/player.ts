// Play in place: puts the game's frame in on a click, and says what to do where the browser can't isolate it.

/** Takes over a player section; its link goes on working where anything is missing. */
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
          'This browser does not give full screen here: open the game in its own tab.';
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

/** Safari and Firefox may not isolate a frame as this page asks; a tab of its own always can. */
function adviceFor(section: HTMLElement): string {
  const wanted = section.dataset['isolated'] === 'yes';
  return wanted && !window.crossOriginIsolated
    ? 'If the game does not start, this browser needs it in its own tab.'
    : '';
}
