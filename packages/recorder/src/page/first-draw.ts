// Notices when a page or worker first draws: on a canvas, or, in a page without one, its first text or image.

/** The methods that draw, by the class that has them. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  CanvasRenderingContext2D: ['clearRect', ...drawing2d()],
  OffscreenCanvasRenderingContext2D: ['clearRect', ...drawing2d()],
  WebGLRenderingContext: ['clear', 'drawArrays', 'drawElements'],
  WebGL2RenderingContext: [
    ...['clear', 'drawArrays', 'drawElements'],
    ...['drawArraysInstanced', 'drawElementsInstanced', 'drawRangeElements', 'clearBufferfv'],
  ],
  ImageBitmapRenderingContext: ['transferFromImageBitmap'],
  GPUQueue: ['submit'],
};

function drawing2d(): string[] {
  return [
    ...['fillRect', 'strokeRect', 'fill', 'stroke', 'fillText', 'strokeText'],
    ...['drawImage', 'putImageData'],
  ];
}

/** How long a page that has painted something has for creating a canvas. */
const CANVAS_MS = 1000;

/**
 * Calls `seen` once, with the milliseconds since the first draw. The methods are restored then, unless somebody else has replaced
 * them.
 */
export function watchFirstDraw(seen: (ago_ms: number) => void): void {
  const undos: (() => void)[] = [];
  let isSeen = false;
  const see = (ago_ms: number): void => {
    if (isSeen) return;
    isSeen = true;
    for (const undo of undos) undo();
    seen(ago_ms);
  };
  for (const [name, methods] of Object.entries(METHODS)) {
    const owner: unknown = Reflect.get(Reflect.get(globalThis, name) ?? {}, 'prototype');
    if (typeof owner !== 'object' || owner === null) continue;
    for (const method of methods) undos.push(replace(owner, method, () => see(0)));
  }
  if (globalThis.document !== undefined) watchPaint(see);
}

/** Calls `before` before each call of the method. Returns the function that restores it. */
function replace(owner: object, name: string, before: () => void): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name);
  const original: unknown = descriptor?.value;
  if (descriptor?.configurable !== true || typeof original !== 'function') return () => {};
  const value = function (this: unknown, ...args: unknown[]): unknown {
    before();
    return Reflect.apply(original, this, args);
  };
  Object.defineProperty(value, 'name', { value: name });
  Object.defineProperty(value, 'length', { value: original.length });
  Object.defineProperty(owner, name, { value });
  return () => {
    if (Object.getOwnPropertyDescriptor(owner, name)?.value !== value) return;
    Object.defineProperty(owner, name, descriptor);
  };
}

/** A page without a canvas and without frames is drawn by its first text or image. */
function watchPaint(see: (ago_ms: number) => void): void {
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint');
    if (paint === undefined) return;
    setTimeout(() => {
      const drawing = document.querySelector('canvas, iframe, frame, object, embed');
      if (drawing === null) see(performance.now() - paint.startTime);
    }, CANVAS_MS);
  }).observe({ type: 'paint', buffered: true });
}
