// The two kinds of WebGL contexts, and a timer for methods of both.

import { type After, timeMethod } from '../hooks/timed.ts';
import type { Sink } from '../sink/sink.ts';

/** A context of WebGL 1 or 2. */
export type Gl = WebGLRenderingContext | WebGL2RenderingContext;

/** The same as {@link After} for methods of a context. */
export type AfterGl = (
  gl: Gl,
  ...rest: Parameters<After> extends [object, ...infer Rest] ? Rest : never
) => void;

/** The prototypes of the contexts that the browser supports. */
export function contextPrototypes(): object[] {
  return [globalThis.WebGLRenderingContext, globalThis.WebGL2RenderingContext].flatMap((one) =>
    one === undefined ? [] : [one.prototype],
  );
}

/** Times a method of each owner that has it. */
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
