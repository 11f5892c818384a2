// Runs in the browser: a scene of 2,000 draw calls a frame. Every second frame runs without the tool, so that both halves
// see the same machine at the same time; what the tool does in callbacks of its own counts to the frames with it. A draw has
// two vertices, too few for a triangle: the page does all it does for any draw, and a software GPU does not hold it up.

/** A tool under measure: what it does around a frame's drawing. Absent where it does nothing there. */
export type Tool = {
  /** Draws for one frame with the tool seeing it. */
  readonly withTool: () => void;
  /** Draws for one frame past the tool. */
  readonly withoutTool: () => void;
  /** Whether it works in every frame by itself, also in those drawn past it: then its own time is that of all frames. */
  readonly always: boolean;
};

/** What a run of the scene came to: an entry a frame, in microseconds of the main thread. */
export type Measured = {
  /** Whole frames with the tool, its own callbacks included, and without. */
  readonly withTool: number[];
  readonly withoutTool: number[];
  /** What the tool took for itself in each of its frames, as timed around each of its calls. */
  readonly own: number[];
  /** What the tool did between frames, in ms a second. */
  readonly betweenMsPerSecond: number;
};

const DRAWS = 2_000;
const WARM_UP_FRAMES = 120;

/** What the tool took since the last frame began, in ms: in frame callbacks of its own, and in calls made for it. */
let inCallbacks = 0;
let inCalls = 0;
let between = 0;

/** Does something of the tool's and counts the time as its own. */
export function timeOwn<Result>(work: () => Result): Result {
  const from = performance.now();
  try {
    return work();
  } finally {
    inCalls += performance.now() - from;
  }
}

/** Counts the context's calls for GPU timing, which the scene itself never makes, as the tool's own. */
export function timeQueries(gl: WebGL2RenderingContext): void {
  for (const name of ['beginQuery', 'endQuery', 'getQueryParameter', 'getParameter'] as const) {
    const method: (...args: never[]) => unknown = gl[name];
    const timed = (...args: never[]) => timeOwn(() => Reflect.apply(method, gl, args));
    Object.defineProperty(gl, name, { value: timed });
  }
}

/**
 * Times every callback that is not the scene's, and returns how the scene asks for frames. To be called before the tool: the
 * first who asks for a frame pays for its scheduling, which is no tool's, as the game asks anyway.
 */
export function timeCallbacks(): (callback: FrameRequestCallback) => void {
  const ask = requestAnimationFrame.bind(globalThis);
  const askFirst = (): void => {
    ask(askFirst);
  };
  askFirst();
  const timed =
    <Args extends unknown[]>(work: (...args: Args) => unknown, add: (ms: number) => void) =>
    (...args: Args): void => {
      const from = performance.now();
      work(...args);
      add(performance.now() - from);
    };
  globalThis.requestAnimationFrame = (callback) =>
    ask(timed(callback, (ms) => (inCallbacks += ms)));
  const idle = requestIdleCallback.bind(globalThis);
  globalThis.requestIdleCallback = (callback, options) =>
    idle(
      timed(callback, (ms) => (between += ms)),
      options,
    );
  return ask;
}

/** The context of the page's canvas, ready to draw. */
export function makeContext(): WebGL2RenderingContext {
  const canvas = document.querySelector('canvas');
  const gl = canvas?.getContext('webgl2');
  if (gl === null || gl === undefined) throw new Error('no WebGL 2');
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, '#version 300 es\nvoid main() { gl_Position = vec4(2, 2, 2, 1); }'],
    [
      gl.FRAGMENT_SHADER,
      '#version 300 es\nprecision lowp float; out vec4 c; void main() { c = vec4(1); }',
    ],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) continue;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array([0, 1, 2]), gl.STATIC_DRAW);
  return gl;
}

/**
 * The drawing of one frame by the context's method of that name, called as a game calls it; the first draw, which some
 * tools wait for, always by the usual one. Made anew for each caller, so
 * that the engine optimises each copy for the one method it calls.
 */
export function makeDrawing(gl: WebGL2RenderingContext, method: string): () => void {
  const source = `return () => {
    gl.drawElements(gl.TRIANGLES, 2, gl.UNSIGNED_SHORT, 0);
    for (let draw = 1; draw < ${DRAWS}; draw++) gl.${method}(gl.TRIANGLES, 2, gl.UNSIGNED_SHORT, 0);
  }`;
  return new Function('gl', source)(gl);
}

/** Runs the scene until so many frames with the tool, and as many without, have been measured. */
export function measure(
  ask: (callback: FrameRequestCallback) => void,
  frames: number,
  tool: Tool,
): Promise<Measured> {
  const all = { withTool: [] as number[], withoutTool: [] as number[], own: [] as number[] };
  let number = -WARM_UP_FRAMES;
  let began = 0;
  return new Promise((done) => {
    const frame = (): void => {
      const callbacks = inCallbacks;
      inCallbacks = 0;
      inCalls = 0;
      const even = number % 2 === 0;
      const from = performance.now();
      if (number === 0) {
        began = from;
        between = 0;
      }
      if (even) tool.withTool();
      else tool.withoutTool();
      // After the tool's microtasks, so that what it does at the end of the task counts.
      queueMicrotask(() => {
        const ms = performance.now() - from;
        if (number >= 0) {
          if (even) all.withTool.push((ms + callbacks) * 1000);
          else all.withoutTool.push(ms * 1000);
          if (even || tool.always) all.own.push((inCalls + callbacks) * 1000);
        }
        number++;
        if (number < frames * 2) ask(frame);
        else done({ ...all, betweenMsPerSecond: between / ((performance.now() - began) / 1000) });
      });
    };
    ask(frame);
  });
}
