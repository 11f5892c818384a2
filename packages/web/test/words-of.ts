// Reads the text of pages.

/** The words of a page, without its markup. */
export function wordsOf(text: string): string {
  return text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:])/g, '$1');
}

/** The text of the notices of a page, above its content. */
export function noticesOf(text: string): string[] {
  return [...text.matchAll(/<div class="notice [^>]*>([\s\S]*?)<\/div>/g)].map(([, inner = '']) =>
    wordsOf(inner).trim(),
  );
}
