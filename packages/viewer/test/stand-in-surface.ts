// A stand-in for the canvas that the worker draws on. It keeps what was drawn.

type Written = {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly fill: string;
};

export class StandInSurface {
  width = 0;
  height = 0;
  /** The texts and outlines since the last picture, and its pixels. */
  texts: Written[] = [];
  outlines: (readonly [number, number, number, number])[] = [];
  pixels: Uint32Array | null = null;
  pictures = 0;

  getContext(): object {
    const surface = this;
    return {
      fillStyle: '',
      // Each character is 6 pixels wide.
      measureText: (text: string) => ({ width: text.length * 6 }),
      fillText(this: { fillStyle: string }, text: string, x: number, y: number) {
        surface.texts.push({ text, x, y, fill: this.fillStyle });
      },
      strokeRect: (x: number, y: number, width: number, height: number) => {
        this.outlines.push([x, y, width, height]);
      },
      putImageData: ({ data }: { data: Uint8ClampedArray }) => {
        this.pictures++;
        this.texts = [];
        this.outlines = [];
        this.pixels = new Uint32Array(data.buffer.slice(0));
      },
    };
  }

  /** This object, typed as the browser's class. */
  get canvas(): OffscreenCanvas {
    return this as unknown as OffscreenCanvas;
  }
}

class StandInImage {
  readonly data: Uint8ClampedArray;
  constructor(data: Uint8ClampedArray) {
    this.data = data;
  }
}

Object.defineProperty(globalThis, 'ImageData', { value: StandInImage, configurable: true });
