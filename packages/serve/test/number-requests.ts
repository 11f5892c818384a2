// A watch that numbers requests, for tests of their ids.
import type { IncomingMessage } from 'node:http';
import type { Watch } from '../src/index.ts';

/** Returns a watch whose ids are `id-1`, `id-2` and so on. */
export function numberRequests(): Watch {
  let ids = 0;
  const known = new WeakMap<IncomingMessage, string>();
  const next = (): string => `id-${++ids}`;
  return {
    begin(request) {
      const id = known.get(request) ?? next();
      known.set(request, id);
      return id;
    },
    refuse: next,
    run: (_request, work) => work(),
    setRoute() {},
    setCode() {},
  };
}
