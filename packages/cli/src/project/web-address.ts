// Recognizes the address of a page, as opposed to the path of a build.

/** Returns whether a command-line argument is the address of a page: `http:` or `https:`. */
export function isWebAddress(argument: string): boolean {
  return /^https?:\/\//i.test(argument) && URL.canParse(argument);
}
