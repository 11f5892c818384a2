// Tracks of spans that have a meaning for views.

/** The tracks of spans that the browser and its engine write. They are not what the game does. */
export const TRACKS_OF_BROWSER: ReadonlySet<string> = new Set([
  'gc',
  'rendering',
  'gpu process',
  'image decode',
]);

/** Tracks of the thread that a frame waits for, as the conversion of frame logs writes them. */
export const MAIN_TRACKS: ReadonlySet<string> = new Set(['GameThread', 'main loop']);
