// The anchors of headings, by GitHub's rule, so that a link works on GitHub and on the site.

/** Returns the anchor of a heading's text: `Exit codes` → `exit-codes`. Its second heading with this text gets `exit-codes-1`. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
