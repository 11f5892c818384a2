// Reads import maps (https://html.spec.whatwg.org/#import-maps).

export type ImportMap = {
  /** The offset of its tag in the page. */
  readonly at: number;
  /** Addresses by the names of modules, as written. A name that ends in `/` stands for all names that begin with it. */
  readonly entries: readonly (readonly [name: string, address: string])[];
};

const MAX_ENTRIES = 1000;

/** The entries of a map, those of its scopes included. Empty for invalid JSON, for which the browser uses no map. */
export function readImportMap(text: string): ImportMap['entries'] {
  try {
    const map: unknown = JSON.parse(text);
    const scopes = Object.values(objectOf(objectOf(map)['scopes']));
    return [objectOf(map)['imports'], ...scopes]
      .flatMap((one) => Object.entries(objectOf(one)))
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .slice(0, MAX_ENTRIES);
  } catch {
    return [];
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
