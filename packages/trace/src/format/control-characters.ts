// The characters of a text that a reader does not see, and that a terminal, a browser or an editor obeys.

/** Control characters, line and paragraph separators, and characters that change the direction of text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Replaces each control character, line or paragraph separator, and each character that changes the direction of text. Line feeds
 * and tabs are among them. Joiners of emoji and other scripts are kept.
 */
export function replaceControls(text: string, instead: (character: string) => string): string {
  return text.replaceAll(CONTROLS, instead);
}
