// Compares the assets of two traces: which are new or gone, and which cost more than before.
import type { AssetKind, Source } from '../../format/records.ts';
import type { AssetReportEntry } from './asset-report.ts';
import type { Measured } from './asset-sum.ts';

/** The measured values of one asset, or the sums of several with the same name. */
export type AssetSide = Measured & {
  /** In frame budgets. */
  readonly cost: number;
  readonly uses: number;
};

/**
 * `new` and `gone`: the asset is in one trace only. The others are in both: `changed` with another content, `same` with the same
 * content, `kept` if the contents are unknown.
 */
export type AssetState = 'new' | 'gone' | 'changed' | 'same' | 'kept';

export type AssetChange = {
  readonly name: string;
  readonly kind: AssetKind;
  readonly source: Source;
  readonly state: AssetState;
  /** Its name in the older trace, if it has another one in the game there; else null. */
  readonly old_name: string | null;
  /** Null for a new asset. */
  readonly before: AssetSide | null;
  /** Null for one that is gone. */
  readonly after: AssetSide | null;
  /** The cost after minus the cost before, in frame budgets. A missing side counts 0. */
  readonly cost_change: number;
};

/** Returns a hash of an asset's content by its name; null if it is unknown. */
export type ContentOf = (name: string) => string | null;

type Contents = { readonly before: ContentOf; readonly after: ContentOf };

/** The sum of all assets with one source, kind and name. */
type Named = {
  readonly source: Source;
  readonly kind: AssetKind;
  readonly name: string;
  readonly side: AssetSide;
};

/**
 * Joins the assets of an older and a newer trace, and returns the changes with the largest rise of cost first. Ids are valid in
 * one recording only, so assets are joined by source and kind, and then by the first of these that identifies one of each side:
 * the name, the content (`contents`), the name without a content hash. Assets of one side with the same name are added up.
 */
export function compareAssets(
  before: readonly AssetReportEntry[],
  after: readonly AssetReportEntry[],
  contents: Contents | null = null,
): AssetChange[] {
  const old = new Set(addUp(before));
  const now = new Set(addUp(after));
  const pairs: (readonly [Named, Named])[] = [];
  const nameOf = ({ name }: Named): string => name;
  join(old, now, pairs, nameOf, nameOf);
  if (contents !== null) {
    const keyOf =
      (contentOf: ContentOf): KeyOf =>
      ({ name }) =>
        contentOf(name);
    join(old, now, pairs, keyOf(contents.before), keyOf(contents.after));
  }
  join(old, now, pairs, stableName, stableName);
  const changes = [
    ...pairs.map(([was, is]) => changeOf(was, is, contents)),
    ...[...old].map((was) => changeOf(was, null, contents)),
    ...[...now].map((is) => changeOf(null, is, contents)),
  ];
  return changes.sort(
    (a, b) =>
      b.cost_change - a.cost_change || byCodeUnit(a.name, b.name) || byCodeUnit(a.kind, b.kind),
  );
}

function changeOf(was: Named | null, is: Named | null, contents: Contents | null): AssetChange {
  const { source, kind, name } = (is ?? was) as Named;
  return {
    ...{ name, kind, source },
    state: stateOf(was, is, contents),
    old_name: was === null || inGame(was.name) === inGame(name) ? null : was.name,
    before: was?.side ?? null,
    after: is?.side ?? null,
    cost_change: rounded((is?.side.cost ?? 0) - (was?.side.cost ?? 0)),
  };
}

function stateOf(was: Named | null, is: Named | null, contents: Contents | null): AssetState {
  if (was === null) return 'new';
  if (is === null) return 'gone';
  const [old, now] = [contents?.before(was.name) ?? null, contents?.after(is.name) ?? null];
  if (old === null || now === null) return 'kept';
  return old === now ? 'same' : 'changed';
}

type KeyOf = (asset: Named) => string | null;

/** Moves the assets with the same key to `pairs`, if the key is unique in both sets. */
function join(
  old: Set<Named>,
  now: Set<Named>,
  pairs: (readonly [Named, Named])[],
  oldKey: KeyOf,
  newKey: KeyOf,
): void {
  const byKey = uniqueByKey(now, newKey);
  for (const [key, was] of uniqueByKey(old, oldKey)) {
    const is = byKey.get(key) ?? null;
    if (was === null || is === null) continue;
    pairs.push([was, is]);
    old.delete(was);
    now.delete(is);
  }
}

/** The assets by source, kind and key. Null for a key of several. */
function uniqueByKey(assets: Iterable<Named>, keyOf: KeyOf): Map<string, Named | null> {
  const found = new Map<string, Named | null>();
  for (const asset of assets) {
    const key = keyOf(asset);
    if (key === null) continue;
    const whole = `${asset.source}\n${asset.kind}\n${key}`;
    found.set(whole, found.has(whole) ? null : asset);
  }
  return found;
}

/** Between the characters `.`, `-`, `_` and `~`: 6 to 64 letters and digits, at least one of each or in both cases. */
const HASH_PART =
  /(?<=[.\-_~])(?=[A-Za-z]*\d|[a-z\d]*[A-Z][A-Z\d]*[a-z]|[A-Z\d]*[a-z][a-z\d]*[A-Z])(?=\d*[A-Za-z])[A-Za-z\d]{6,64}(?=[.\-_~])/g;

/** The name in the game, without a content hash. */
function stableName({ name }: Named): string {
  return withoutHash(inGame(name));
}

/** A name with `*` for each content hash, such as `main.*.js` for `main.3f9ab2c1.js`. */
export function withoutHash(name: string): string {
  return name.replace(HASH_PART, '*');
}

/** The name without the address of the game on a platform, which differs between a preview and a published game. */
function inGame(name: string): string {
  return name.replace(/^\/?play\/[^/]+\//, '');
}

function addUp(entries: readonly AssetReportEntry[]): Named[] {
  const sums = new Map<string, Named>();
  for (const entry of entries) {
    const { source, kind, name } = entry;
    const key = `${source}\n${kind}\n${name}`;
    const sum = sums.get(key);
    sums.set(key, { source, kind, name, side: addSide(sum?.side ?? null, entry) });
  }
  return [...sums.values()];
}

function addSide(sum: AssetSide | null, entry: AssetReportEntry): AssetSide {
  const add = (a: number | null | undefined, b: number | null): number | null =>
    a === null || a === undefined ? b : b === null ? a : rounded(a + b);
  return {
    bytes: add(sum?.bytes, entry.bytes),
    gpu_bytes: add(sum?.gpu_bytes, entry.gpu_bytes),
    load_ms: add(sum?.load_ms, entry.load_ms),
    decode_ms: add(sum?.decode_ms, entry.decode_ms),
    upload_ms: add(sum?.upload_ms, entry.upload_ms),
    main_thread_ms: add(sum?.main_thread_ms, entry.main_thread_ms),
    hitch_ms: rounded((sum?.hitch_ms ?? 0) + entry.hitch_ms),
    hitches: (sum?.hitches ?? 0) + entry.hitches,
    cost: rounded((sum?.cost ?? 0) + entry.cost),
    uses: (sum?.uses ?? 0) + entry.uses,
  };
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
