// The data that the structure check uses of a source file.

/** A file of the repository; the path is relative to its root, with slashes. */
export type Source = { readonly path: string; readonly text: string };

/** True for tests and for code that only tests and builds use. */
export function isTestCode(path: string): boolean {
  return /\.test\.tsx?$|^packages\/[^/]+\/(test|fixtures|scripts)\/|vite\.config\.ts$/.test(path);
}

/** The module names in `import … from`, `export … from`, `import '…'` and `import('…')`, type-only ones included. */
export function importedModules(text: string): string[] {
  const pattern = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\n]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}
