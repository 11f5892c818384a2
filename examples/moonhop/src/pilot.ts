// Plays by itself, always the same way: lets go when the straight line ahead runs well through the next moon's ring.
import { type Flight, heading } from './flight.ts';

/** The share of the ring's radius that the line has to pass within. */
const AIM = 0.55;
/** Never sooner after a catch: a person would not be quicker. */
const REACTION_S = 0.25;

/** Whether to let go now. */
export function pilotLetsGo(flight: Flight): boolean {
  const { course } = flight;
  if (course.state !== 'circling' || course.held < REACTION_S) return false;
  const next = flight.moons[course.moon + 1];
  if (next === undefined) return false;
  const [dx, dy] = heading(course);
  const along = (next.x - flight.x) * dx + (next.y - flight.y) * dy;
  const beside = Math.abs((next.x - flight.x) * dy - (next.y - flight.y) * dx);
  return along > 0 && beside < next.orbit * AIM;
}
