// The texts over the game: score, best score, streak, and instructions.

const BEST_KEY = 'moonhop.best';

/** The element with this id. Throws if it does not exist. */
export function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no "${id}"`);
  return found;
}

export function makeWords() {
  const score = element('score', HTMLElement);
  const best = element('best', HTMLElement);
  const streak = element('streak', HTMLElement);
  const card = element('card', HTMLElement);
  const line = element('line', HTMLElement);
  let record = readBest();
  const showBest = () => {
    best.textContent = record > 0 ? `best ${record}` : '';
  };
  const say = (text: string | null) => {
    if (text !== null) line.textContent = text;
    card.hidden = text === null;
  };
  showBest();
  return {
    ready: (piloted: boolean) =>
      say(piloted ? null : 'Let go of the moon before it crumbles. Press to begin.'),
    playing: () => say(null),
    paused: (paused: boolean) => say(paused ? 'Paused. P to go on.' : null),
    show(points: number, hops: number) {
      score.textContent = String(points);
      streak.textContent = hops > 0 ? `×${1 + Math.min(hops, 4)}` : '';
    },
    lost(points: number) {
      const better = points > record;
      if (better) {
        record = points;
        keepBest(points);
      }
      showBest();
      say(
        better
          ? `${points}: your best so far. Press to fly again.`
          : `${points}. Press to fly again.`,
      );
    },
  };
}

/** The stored best score. 0 if the page may not store anything. */
function readBest(): number {
  try {
    return Number(localStorage.getItem(BEST_KEY) ?? 0);
  } catch {
    return 0;
  }
}

function keepBest(points: number): void {
  try {
    localStorage.setItem(BEST_KEY, String(points));
  } catch {
    // Storage is not available.
  }
}
