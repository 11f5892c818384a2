// `@svc/collector/spool`: a copy of the trace in IndexedDB while recording, so that a crash of the tab loses only a second or
// two. The copies stay on the player's machine, and only the last few are kept.
import type { Spool } from './api.ts';

export type { Spool } from './api.ts';

const STORE = 'lines';
/** Number of earlier recordings that are kept. */
const KEPT = 3;

/** The stored trace of an earlier recording. */
export type LeftOver = {
  /** Start of the recording, in milliseconds of Unix time. */
  readonly startedAt: number;
  readonly trace: Blob;
};

/** A row of the current recording: its size, its key (null until it is stored), and whether it must be deleted. */
type Kept = { readonly bytes: number; id: IDBValidKey | null; isDropped: boolean };

/** Some whole lines of one recording. The first row of a recording is its header. */
type Row = {
  readonly id?: number;
  readonly startedAt: number;
  readonly lines: Uint8Array<ArrayBuffer>;
};

/** A spool for `start({ spool: makeSpool() })`. If nothing can be stored, it does nothing. */
export function makeSpool(name = 'svc-collector'): Spool {
  const startedAt = Date.now();
  const opened = open(name).then((base) => {
    forgetOld(base, startedAt);
    return base;
  });
  const change = (work: (store: IDBObjectStore) => void) => {
    opened.then((base) => work(write(base))).catch(() => {});
  };
  // A spool that is never used must not cause an unhandled rejection.
  opened.catch(() => {});
  const kept: Kept[] = [];
  return {
    append: (lines) => {
      const copy = lines.slice();
      change((store) => keep(store, startedAt, copy, kept));
    },
    dropOldest: (bytes) => change((store) => dropAfterHeader(store, kept, bytes)),
  };
}

/** The stored traces of earlier recordings, newest first. Empty if nothing can be stored. */
export async function leftOver(name = 'svc-collector'): Promise<LeftOver[]> {
  const byStart = new Map<number, Uint8Array<ArrayBuffer>[]>();
  try {
    const base = await open(name);
    await eachRow(base.transaction(STORE).objectStore(STORE), ({ value }) => {
      byStart.set(value.startedAt, [...(byStart.get(value.startedAt) ?? []), value.lines]);
    });
    base.close();
  } catch {
    return [];
  }
  return [...byStart]
    .sort(([one], [other]) => other - one)
    .map(([startedAt, parts]) => ({ startedAt, trace: new Blob(parts) }));
}

/** Deletes all stored traces. */
export async function discardLeftOver(name = 'svc-collector'): Promise<void> {
  try {
    const base = await open(name);
    const store = write(base);
    store.clear();
    await settled(store.transaction);
    base.close();
  } catch {
    // Nothing was stored.
  }
}

function open(name: string): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore(STORE, { keyPath: 'id', autoIncrement: true });
    request.onsuccess = () => {
      const base = request.result;
      // A game that deletes its databases must not wait for this connection.
      base.onversionchange = () => base.close();
      done(base);
    };
    request.onerror = () => fail(request.error);
    request.onblocked = () => fail(new Error('blocked'));
  });
}

/** With relaxed durability: writes must survive a crash of the tab, not of the machine. */
function write(base: IDBDatabase): IDBObjectStore {
  return base.transaction(STORE, 'readwrite', { durability: 'relaxed' }).objectStore(STORE);
}

function keep(
  store: IDBObjectStore,
  startedAt: number,
  lines: Uint8Array<ArrayBuffer>,
  kept: Kept[],
): void {
  const row: Kept = { bytes: lines.byteLength, id: null, isDropped: false };
  kept.push(row);
  const request = store.add({ startedAt, lines });
  request.onsuccess = () => {
    row.id = request.result;
    if (row.isDropped) store.delete(row.id);
  };
}

/** Deletes the oldest rows, except the header, until `bytes` are freed. */
function dropAfterHeader(store: IDBObjectStore, kept: Kept[], bytes: number): void {
  let left = bytes;
  while (left > 0 && kept.length > 1) {
    const [row] = kept.splice(1, 1);
    if (row === undefined) return;
    left -= row.bytes;
    row.isDropped = true;
    if (row.id !== null) store.delete(row.id);
  }
}

function forgetOld(base: IDBDatabase, current: number): void {
  const starts = new Set<number>();
  const store = write(base);
  eachRow(store, ({ value }) => {
    starts.add(value.startedAt);
  })
    .then(() => {
      const kept = new Set([...starts].sort((one, other) => other - one).slice(0, KEPT));
      return eachRow(write(base), (cursor) => {
        const { startedAt } = cursor.value;
        if (startedAt !== current && !kept.has(startedAt)) cursor.delete();
      });
    })
    .catch(() => {});
}

type RowCursor = { readonly value: Row; delete(): void };

/** Calls `see` with the rows in order. */
function eachRow(store: IDBObjectStore, see: (row: RowCursor) => void): Promise<void> {
  return new Promise((done, fail) => {
    const request = store.openCursor();
    request.onerror = () => fail(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor === null) done();
      else {
        see({ value: cursor.value, delete: () => cursor.delete() });
        cursor.continue();
      }
    };
  });
}

function settled(transaction: IDBTransaction): Promise<void> {
  return new Promise((done, fail) => {
    transaction.oncomplete = () => done();
    transaction.onerror = () => fail(transaction.error);
    transaction.onabort = () => fail(transaction.error);
  });
}
