// The two kinds of WebGL context, and timing a method on both.

import { type After, timeMethod } from '../hooks/timed.ts';
import type { Sink } from '../sink/sink.ts';

/** Either context; what only one has is looked for before it is used. */
export type Gl = WebGLRenderingContext | WebGL2RenderingContext;

/** As {@link After}, called on a context. */
export type AfterGl = (
  gl: Gl,
  ...rest: Parameters<After> extends [object, ...infer Rest] ? Rest : never
) => void;

/** The prototypes of the contexts that this browser has. */
export function contextPrototypes(): object[] {
  return [globalThis.WebGLRenderingContext, globalThis.WebGL2RenderingContext].flatMap((one) =>
    one === undefined ? [] : [one.prototype],
  );
}

/** Times the method on each owner that has it. */
export function timeGl(
  sink: Sink,
  owners: readonly object[],
  name: string,
  after: AfterGl,
): ((() => void) | null)[] {
  return owners.map((owner) =>
    timeMethod(sink, owner, name, (self, ...rest) => {
      if (isGl(self)) after(self, ...rest);
    }),
  );
}

function isGl(value: object): value is Gl {
  return 'getParameter' in value;
}
