// A hook that measures the height that the window has for the tracks.
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { trackRoom } from './timeline-state.ts';

/** The borders above and below the tracks. */
const BORDERS = 2;

/**
 * Keeps `trackRoom` at the height of the view without what is above the tracks and, in a narrow window, the panel below them.
 * `parts` changes when other parts are shown.
 */
export function useTrackRoom(view: RefObject<HTMLElement | null>, parts: readonly unknown[]): void {
  useEffect(() => {
    const element = view.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      trackRoom.value = Math.floor(roomIn(element) ?? trackRoom.peek());
    });
    const observed = element.querySelectorAll('.timeline-head, .second');
    for (const one of [element, ...observed]) observer.observe(one);
    return () => observer.disconnect();
  }, [...parts]);
}

function roomIn(view: HTMLElement): number | null {
  const tracks = view.querySelector('.tracks')?.getBoundingClientRect();
  if (tracks === undefined) return null;
  const panel = view.querySelector('.second')?.getBoundingClientRect();
  const isBelow = panel !== undefined && panel.left < tracks.right;
  const { top, height } = view.getBoundingClientRect();
  return top + height - tracks.top - BORDERS - (isBelow ? panel.height : 0);
}
