// The rules of the game, without drawing and clock: circle a moon, let go, reach the next moon. A step is 1/120 s.

export const STEP_S = 1 / 120;
/** Seconds until a moon crumbles. */
const FIRST_HOLD_S = 7;
const LEAST_HOLD_S = 2.6;
/** A hop within this time after the catch keeps the streak. */
const QUICK_S = 1.6;
/** The game ends after this time without a moon in reach. */
const LOST_S = 2.4;

/** A moon: position, radius and orbit. `look` selects its image. */
export type Moon = {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly orbit: number;
  readonly look: number;
};

export type Star = { readonly x: number; readonly y: number; taken: boolean };

/** The state of the traveller: around a moon, between moons, or lost. */
export type Course =
  | {
      readonly state: 'circling';
      readonly moon: number;
      angle: number;
      readonly spin: 1 | -1;
      held: number;
    }
  | { readonly state: 'flying'; readonly from: number; vx: number; vy: number; since: number }
  | { readonly state: 'lost' };

/** An event of a step, for sound and sparks. */
export type Happening = 'hop' | 'caught' | 'star' | 'lost';

export type Flight = {
  readonly moons: readonly Moon[];
  readonly stars: Star[];
  course: Course;
  x: number;
  y: number;
  score: number;
  streak: number;
  seconds: number;
};

export function newFlight(moons: readonly Moon[], stars: readonly Omit<Star, 'taken'>[]): Flight {
  const flight: Flight = {
    moons,
    stars: stars.map((star) => ({ ...star, taken: false })),
    course: { state: 'circling', moon: 0, angle: -Math.PI / 2, spin: 1, held: 0 },
    x: 0,
    y: 0,
    score: 0,
    streak: 0,
    seconds: 0,
  };
  place(flight);
  return flight;
}

/** Seconds until a moon crumbles. Decreases with the distance travelled. */
export function holdSeconds(moon: number): number {
  return Math.max(LEAST_HOLD_S, FIRST_HOLD_S - moon * 0.22);
}

/** World units per second. */
function speedAt(moon: number): number {
  return Math.min(520, 270 + moon * 8);
}

/** Advances by one step. `letGo`: the button was pressed since the last step. */
export function step(flight: Flight, letGo: boolean): Happening[] {
  const { course } = flight;
  flight.seconds += STEP_S;
  if (course.state === 'circling') return circle(flight, course, letGo);
  return course.state === 'flying' ? fly(flight, course) : [];
}

function circle(
  flight: Flight,
  course: Course & { state: 'circling' },
  letGo: boolean,
): Happening[] {
  const moon = flight.moons[course.moon];
  if (moon === undefined) return [];
  const speed = speedAt(course.moon);
  if (letGo) {
    const [dx, dy] = heading(course);
    const quick = course.held < QUICK_S && course.moon > 0;
    flight.streak = quick ? flight.streak + 1 : 0;
    flight.course = {
      state: 'flying',
      from: course.moon,
      vx: dx * speed,
      vy: dy * speed,
      since: 0,
    };
    return ['hop'];
  }
  course.held += STEP_S;
  course.angle += (course.spin * speed * STEP_S) / moon.orbit;
  place(flight);
  if (course.held < holdSeconds(course.moon)) return takeStars(flight);
  flight.course = { state: 'lost' };
  return ['lost'];
}

function fly(flight: Flight, course: Course & { state: 'flying' }): Happening[] {
  course.since += STEP_S;
  flight.x += course.vx * STEP_S;
  flight.y += course.vy * STEP_S;
  const happened = takeStars(flight);
  const caught = flight.moons.findIndex(
    (moon, index) =>
      Math.abs(index - course.from) <= 3 &&
      index !== course.from &&
      Math.hypot(moon.x - flight.x, moon.y - flight.y) <= moon.orbit,
  );
  if (caught >= 0) return [...happened, ...land(flight, course, caught)];
  if (course.since < LOST_S) return happened;
  flight.course = { state: 'lost' };
  return [...happened, 'lost'];
}

function land(flight: Flight, course: Course & { state: 'flying' }, index: number): Happening[] {
  const moon = flight.moons[index];
  if (moon === undefined) return [];
  const dx = flight.x - moon.x;
  const dy = flight.y - moon.y;
  const spin = dx * course.vy - dy * course.vx >= 0 ? 1 : -1;
  flight.course = { state: 'circling', moon: index, angle: Math.atan2(dy, dx), spin, held: 0 };
  place(flight);
  flight.score += Math.max(0, index - course.from) * (1 + Math.min(flight.streak, 4));
  return ['caught'];
}

/** The flight direction after letting go: tangential. */
export function heading(course: Course & { state: 'circling' }): readonly [number, number] {
  return [-Math.sin(course.angle) * course.spin, Math.cos(course.angle) * course.spin];
}

function place(flight: Flight): void {
  const { course } = flight;
  const moon = course.state === 'circling' ? flight.moons[course.moon] : undefined;
  if (course.state !== 'circling' || moon === undefined) return;
  flight.x = moon.x + Math.cos(course.angle) * moon.orbit;
  flight.y = moon.y + Math.sin(course.angle) * moon.orbit;
}

function takeStars(flight: Flight): Happening[] {
  for (const star of flight.stars) {
    if (star.taken || Math.abs(star.x - flight.x) > 26) continue;
    if (Math.hypot(star.x - flight.x, star.y - flight.y) > 26) continue;
    star.taken = true;
    flight.score++;
    return ['star'];
  }
  return [];
}
