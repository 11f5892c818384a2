// Maps the source and id of an asset to a row, in order of first appearance.

import { Int32List } from '../../bytes/growable.ts';
import { hashBytes } from '../../bytes/hash-bytes.ts';
import { FloatColumn, IntColumn } from '../../bytes/paged-column.ts';
import { type AssetId, SOURCES, type Source } from '../../format/records.ts';
import { type FrameNames, FrameTable } from '../../stacks/frame-table.ts';

/** The rows of one source: of number ids, and of string ids by the index of the string in `texts`. */
type SourceKeys = {
  readonly numbers: Map<number, number>;
  readonly texts: FrameTable;
  readonly textRows: Int32List;
};

export class AssetKeys {
  length = 0;
  readonly #sources = new Map<Source, SourceKeys>();
  readonly #sourceOf = new IntColumn();
  /** The number, or the index of the string. */
  readonly #id = new FloatColumn();
  readonly #isText = new IntColumn();

  /** The row of an asset. Adds a row for a new asset. */
  row(source: Source, id: AssetId): number {
    if (typeof id === 'number') return this.rowOfNumber(source, id);
    const bytes = new TextEncoder().encode(id);
    return this.rowOfText(source, bytes, 0, bytes.length);
  }

  rowOfNumber(source: Source, id: number): number {
    const { numbers } = this.#keysOf(source);
    const known = numbers.get(id);
    if (known !== undefined) return known;
    const row = this.#newRow(source, id);
    numbers.set(id, row);
    return row;
  }

  /** The row of a string id whose UTF-8 is `bytes[start..end)`. */
  rowOfText(source: Source, bytes: Uint8Array, start: number, end: number): number {
    const { texts, textRows } = this.#keysOf(source);
    const place = texts.intern(bytes, start, end, hashBytes(bytes, start, end));
    if (place < textRows.length) return textRows.values[place] ?? 0;
    const row = this.#newRow(source, place);
    this.#isText.set(row, 1);
    textRows.push(row);
    return row;
  }

  /** The row of an asset that has one, or −1. */
  find(source: Source, id: AssetId): number {
    const keys = this.#sources.get(source);
    if (keys === undefined) return -1;
    if (typeof id === 'number') return keys.numbers.get(id) ?? -1;
    const place = keys.texts.findText(id);
    return place < 0 ? -1 : (keys.textRows.values[place] ?? -1);
  }

  sourceOf(row: number): Source {
    return SOURCES[this.#sourceOf.get(row)] ?? 'import';
  }

  /** A function that returns the id of a row that exists now. */
  ids(): (row: number) => AssetId {
    const names = new Map<Source, FrameNames>();
    for (const [source, { texts }] of this.#sources) names.set(source, texts.names());
    return (row) => {
      const id = this.#id.get(row);
      return this.#isText.get(row) === 0 ? id : (names.get(this.sourceOf(row))?.text(id) ?? '');
    };
  }

  #keysOf(source: Source): SourceKeys {
    const known = this.#sources.get(source);
    if (known !== undefined) return known;
    const made = { numbers: new Map(), texts: new FrameTable(), textRows: new Int32List() };
    this.#sources.set(source, made);
    return made;
  }

  #newRow(source: Source, id: number): number {
    const row = this.length++;
    this.#sourceOf.set(row, SOURCES.indexOf(source));
    this.#id.set(row, id);
    return row;
  }
}
