// The time at the start of a recording in which a game loads, and rules expect much work.

/** Work before this time is start-up: engines compile, load and allocate, and players expect to wait. */
export const START_UP_MS = 10_000;
