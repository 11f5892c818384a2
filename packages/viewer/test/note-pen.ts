// A pen that records what is drawn, and colours that equal their names.
import type { Pen } from '../src/draw/pen.ts';
import type { Colours } from '../src/draw/tokens.ts';

export type Drawn =
  | { readonly shape: 'rect'; x: number; y: number; width: number; height: number; fill: string }
  | { readonly shape: 'line'; xs: number[]; ys: number[]; colour: string }
  | { readonly shape: 'area'; xs: number[]; ys: number[]; colour: string }
  | { readonly shape: 'text'; x: number; y: number; text: string; fill: string };

export function notePen() {
  const drawn: Drawn[] = [];
  const pen: Pen = {
    rect: (x, y, width, height, fill) => drawn.push({ shape: 'rect', x, y, width, height, fill }),
    line: (xs, ys, colour) => drawn.push({ shape: 'line', xs: [...xs], ys: [...ys], colour }),
    area: (xs, ys, _base, colour) =>
      drawn.push({ shape: 'area', xs: [...xs], ys: [...ys], colour }),
    text: (x, y, text, fill) => drawn.push({ shape: 'text', x, y, text, fill }),
    clip: (_x, _y, _width, _height, draw) => draw(),
  };
  const of = <Shape extends Drawn['shape']>(shape: Shape): Extract<Drawn, { shape: Shape }>[] =>
    drawn.filter((one) => one.shape === shape) as Extract<Drawn, { shape: Shape }>[];
  return {
    pen,
    texts: (): string[] => of('text').map(({ text }) => text),
    rects: (fill: string) => of('rect').filter((rect) => rect.fill === fill),
    lines: (colour: string) => of('line').filter((line) => line.colour === colour),
    drawn,
  };
}

/** Each token is its own colour. */
export const COLOURS = new Proxy({}, { get: (_, token) => String(token) }) as Colours;
