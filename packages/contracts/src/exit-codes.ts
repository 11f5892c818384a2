// The exit codes of `svc`. They have a module of their own, without schemas, so that the command line loads little at its start.

/** Exit codes of `svc`. No error code has 9: it means that a build was published or staged, and does not start. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  unauthenticated: 3,
  forbidden: 4,
  not_found: 5,
  conflict: 6,
  invalid: 7,
  too_large: 8,
  does_not_start: 9,
  unreachable: 10,
  server: 11,
  interrupted: 130,
} as const;
