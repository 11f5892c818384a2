// `@svc/collector/spool`: a copy of the trace in IndexedDB while recording, so that a crash of the tab loses a second or
// two. Stays on the player's machine, and only a few recordings of it.
import type { Spool } from './api.ts';
import { quietly } from './sink/sink.ts';

export type { Spool } from './api.ts';

const STORE = 'lines';
/** Recordings kept beside the one under way. */
const KEPT = 3;

/** A trace that an earlier recording left behind. */
export type LeftOver = {
  /** When its recording began, in milliseconds of Unix time. */
  readonly startedAt: number;
  readonly trace: Blob;
};

/** A row of the recording under way: its size, its key once it has one, and whether it is to go as soon as it has. */
type Kept = { readonly bytes: number; id: IDBValidKey | null; gone: boolean };

/** Some whole lines of one recording. The first of a recording is its header. */
type Row = {
  readonly id?: number;
  readonly startedAt: number;
  readonly lines: Uint8Array<ArrayBuffer>;
};

/** A spool for `start({ spool: makeSpool() })`. Where nothing can be stored, it stores nothing and says nothing. */
export function makeSpool(name = 'svc-collector'): Spool {
  const startedAt = Date.now();
  const opened = open(name).then((base) => {
    forgetOld(base, startedAt);
    return base;
  });
  const change = (work: (store: IDBObjectStore) => void) => {
    opened.then((base) => quietly(() => work(write(base)))).catch(() => {});
  };
  // Nobody else may be waiting for it: a spool that is never used must not fail aloud.
  opened.catch(() => {});
  const kept: Kept[] = [];
  return {
    append: (lines) => change((store) => keep(store, startedAt, lines.slice(), kept)),
    dropOldest: (bytes) => change((store) => dropAfterHeader(store, kept, bytes)),
  };
}

/** The traces that earlier recordings left behind, the newest first. Empty where nothing can be stored. */
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

/** Deletes all that was left behind. */
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
      // A game that deletes what it stored must not wait for us.
      base.onversionchange = () => base.close();
      done(base);
    };
    request.onerror = () => fail(request.error);
    request.onblocked = () => fail(new Error('blocked'));
  });
}

/** Relaxed: what is written survives a crash of the tab, which is what this is for, not one of the machine. */
function write(base: IDBDatabase): IDBObjectStore {
  return base.transaction(STORE, 'readwrite', { durability: 'relaxed' }).objectStore(STORE);
}

function keep(
  store: IDBObjectStore,
  startedAt: number,
  lines: Uint8Array<ArrayBuffer>,
  kept: Kept[],
): void {
  const row: Kept = { bytes: lines.byteLength, id: null, gone: false };
  kept.push(row);
  const request = store.add({ startedAt, lines });
  request.onsuccess = () => {
    row.id = request.result;
    if (row.gone) store.delete(row.id);
  };
}

/** Deletes the oldest rows but the header's until so many bytes are gone. */
function dropAfterHeader(store: IDBObjectStore, kept: Kept[], bytes: number): void {
  let left = bytes;
  while (left > 0 && kept.length > 1) {
    const [row] = kept.splice(1, 1);
    if (row === undefined) return;
    left -= row.bytes;
    row.gone = true;
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

/** Goes through the rows in order until `see` says false. */
function eachRow(store: IDBObjectStore, see: (row: RowCursor) => unknown): Promise<void> {
  return new Promise((done, fail) => {
    const request = store.openCursor();
    request.onerror = () => fail(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor === null || see({ value: cursor.value, delete: () => cursor.delete() }) === false)
        done();
      else cursor.continue();
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
