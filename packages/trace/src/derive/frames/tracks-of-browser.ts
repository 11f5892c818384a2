/** The tracks of spans that the browser and its engine write. They are not what the game does. */
export const TRACKS_OF_BROWSER: ReadonlySet<string> = new Set([
  'gc',
  'rendering',
  'gpu process',
  'image decode',
]);
