// An autopilot that always plays the same way: it lets go when the straight path ahead passes through the next moon's ring.
import { type Flight, heading } from './flight.ts';

/** Largest distance of the path from the moon, as a fraction of the ring's radius. */
const AIM = 0.55;
/** Shortest time after a catch, like that of a person. */
const REACTION_S = 0.25;

/** Whether the autopilot lets go now. */
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
