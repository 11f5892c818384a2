// What the code in a page and the recorder tell each other. A message is a letter and a text: `H` a Hello, `L` a Surface on the
// first line and then lines of the trace, `D` how many milliseconds ago the first draw was, `I` what the player does: the time of the
// page's clock, `page` or `screen` for what the coordinates are of, and a step of an input script; `O` where the page begins on the
// screen, in CSS pixels.

/** Names that the recorder chooses for each recording, so that a page cannot know them. */
export type Names = {
  /** The property of the global object with the function that passes a message on. */
  readonly binding: string;
  /** The event that ends the recording. */
  readonly ending: string;
  /** What the names of marks begin with. */
  readonly mark: string;
  /** Whether the first draw is reported. */
  readonly firstDraw: boolean;
  /** Whether it is reported what the player does. */
  readonly input: boolean;
  /** The event with a step for the gamepads, which a script moves then. Null without a script. */
  readonly gamepad: string | null;
};

/** The clocks of a document or worker. Times are milliseconds. */
export type Hello = {
  /** The rest of the name of the mark. */
  readonly mark: string;
  /** When the trace of the collector began, on the page's clock. */
  readonly began: number;
  /** The time of the mark, on the page's clock. */
  readonly marked: number;
  /** The zero of the page's clock, in Unix time. */
  readonly origin: number;
};

/** Where a document or worker draws. Areas are in CSS pixels. */
export type Surface = {
  /** The largest canvas that the document draws itself. */
  readonly own: number;
  /** The largest canvas that a worker draws. */
  readonly transferred: number;
  /** Whether this is a worker that draws on a canvas. */
  readonly worker: boolean;
};
