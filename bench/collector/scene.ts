// Runs in the browser: a scene of 2,000 draw calls per frame. Every second frame runs without the tool, so that other load
// affects both halves equally. The time of the tool's own callbacks is added to the frames with the tool. A draw has two
// vertices, too few for a triangle: the page does the work of a draw call, and a software GPU does not slow it down.

/** A measured tool: its actions around the drawing of a frame. */
export type Tool = {
  /** Draws a frame with the tool. */
  readonly withTool: () => void;
  /** Draws a frame without the tool. */
  readonly withoutTool: () => void;
  /** Whether the tool works in every frame, including those that are drawn without it. Its own time is then that of all frames. */
  readonly always: boolean;
};

/** The result of a run: one entry per frame, in microseconds of the main thread. */
export type Measured = {
  /** Whole frames with the tool, including its own callbacks, and without. */
  readonly withTool: number[];
  readonly withoutTool: number[];
  /** The tool's own time in each of its frames, measured around each of its calls. */
  readonly own: number[];
  /** The tool's time between frames, in ms per second. */
  readonly betweenMsPerSecond: number;
};

const DRAWS = 2_000;
const WARM_UP_FRAMES = 120;

/** The tool's time since the start of the last frame, in ms: in its own frame callbacks and in calls of the tool. */
let inCallbacks = 0;
let inCalls = 0;
let between = 0;

/** Runs an action of the tool and adds its time. */
export function timeOwn<Result>(work: () => Result): Result {
  const from = performance.now();
  try {
    return work();
  } finally {
    inCalls += performance.now() - from;
  }
}

/** Adds the time of the context's GPU timing calls, which only the tool makes. */
export function timeQueries(gl: WebGL2RenderingContext): void {
  for (const name of ['beginQuery', 'endQuery', 'getQueryParameter', 'getParameter'] as const) {
    const method: (...args: never[]) => unknown = gl[name];
    const timed = (...args: never[]) => timeOwn(() => Reflect.apply(method, gl, args));
    Object.defineProperty(gl, name, { value: timed });
  }
}

/**
 * Measures every frame callback except the scene's, and returns the scene's function to request frames. Must be called
 * before the tool: the first request for a frame pays for its scheduling, and a game makes this request anyway.
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

/** Prepares the context of the page's canvas for drawing. */
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
 * Creates a function that draws a frame with the context's method of this name. The first draw always uses the original
 * name, because some tools wait for it. Each caller gets a new function, so that the engine optimizes each for one method.
 */
export function makeDrawing(gl: WebGL2RenderingContext, method: string): () => void {
  const source = `return () => {
    gl.drawElements(gl.TRIANGLES, 2, gl.UNSIGNED_SHORT, 0);
    for (let draw = 1; draw < ${DRAWS}; draw++) gl.${method}(gl.TRIANGLES, 2, gl.UNSIGNED_SHORT, 0);
  }`;
  return new Function('gl', source)(gl);
}

/** Runs the scene until this number of frames has been measured with the tool, and the same number without. */
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
      // After the tool's microtasks, so that their time is included.
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
