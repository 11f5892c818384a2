// `@svc/collector/spool`: a copy of the trace in IndexedDB while recording, so that a crash of the tab loses a second or
// two. Stays on the player's machine, and only a few recordings of it.
import type { Spool } from './api.ts';
import { quietly } from './sink.ts';

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
  return {
    append: (lines) => change((store) => store.add({ startedAt, lines: lines.slice() })),
    dropOldest: (bytes) => change((store) => dropAfterHeader(store, startedAt, bytes)),
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
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
    request.onblocked = () => fail(new Error('blocked'));
  });
}

/** Relaxed: what is written survives a crash of the tab, which is what this is for, not one of the machine. */
function write(base: IDBDatabase): IDBObjectStore {
  return base.transaction(STORE, 'readwrite', { durability: 'relaxed' }).objectStore(STORE);
}

function dropAfterHeader(store: IDBObjectStore, startedAt: number, bytes: number): void {
  let header = true;
  let left = bytes;
  eachRow(store, (cursor) => {
    if (cursor.value.startedAt !== startedAt) return true;
    if (!header) {
      left -= cursor.value.lines.byteLength;
      cursor.delete();
    }
    header = false;
    return left > 0;
  }).catch(() => {});
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
