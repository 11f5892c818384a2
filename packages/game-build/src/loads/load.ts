// One place of a text that makes the browser load files.

/**
 * What a load is for. `script` and `style`: a page usually does not work without it. `resource`: an image, sound, frame, worker or
 * module that is loaded when it is needed. `extra`: an icon, manifest or preload, which a page can do without. `link`: another
 * page, or a text that may be an address; a missing one is not a fault.
 */
export type LoadKind = 'script' | 'style' | 'resource' | 'extra' | 'link';

export type Load = {
  readonly kind: LoadKind;
  /** The addresses as written. With several, the browser uses one that exists: the sources of a sound, the formats of a font. */
  readonly targets: readonly string[];
  /** The offset in the text. */
  readonly at: number;
  /**
   * How the address is resolved, if not relative to the page or style: `specifier` for the name of a module, which an import map
   * may change, `worker` for an address relative to an unknown worker, `string` for a text in a script.
   */
  readonly by?: 'specifier' | 'worker' | 'string';
};

/** The maximum number of loads read from one text. No ordinary text has more. */
export const MAX_LOADS = 20_000;

/** The offset after a string in CSS or JavaScript whose quote is at `at`. -1 if it does not end on its line. */
export function endOfString(text: string, at: number): number {
  const quote = text.charCodeAt(at);
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i + 1;
    if (code === BACKSLASH) i++;
    else if (code === NEWLINE) return -1;
  }
  return -1;
}

/** The offset after the comment at `at`. The end of the text if the comment is not closed. */
export function endOfComment(text: string, at: number): number {
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? text.length : end + 2;
}

const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
