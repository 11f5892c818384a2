// The part of IndexedDB that the spool uses, in memory. Requests are answered in order, in later tasks.

type Row = Readonly<Record<string, unknown>>;
type Listener = (() => void) | null;

class FakeRequest {
  result: unknown = undefined;
  error: unknown = null;
  onsuccess: Listener = null;
  onerror: Listener = null;
  onupgradeneeded: Listener = null;
  onblocked: Listener = null;
}

type FakeStore = {
  readonly transaction: FakeTransaction;
  add(row: Row): FakeRequest;
  delete(id: number): FakeRequest;
  clear(): FakeRequest;
  openCursor(): FakeRequest;
};

/** The rows of a database by the name of the store. */
type Stores = Map<string, { readonly rows: Map<number, Row>; next: number }>;

class FakeTransaction {
  oncomplete: Listener = null;
  onerror: Listener = null;
  onabort: Listener = null;
  readonly error = new Error('aborted');
  readonly #base: FakeBase;
  readonly #stores: Stores;
  #pending = 0;

  constructor(base: FakeBase, stores: Stores) {
    this.#base = base;
    this.#stores = stores;
  }

  objectStore(name: string): FakeStore {
    const store = this.#stores.get(name);
    if (store === undefined) throw new Error(`there is no store ${name}`);
    const { rows } = store;
    return {
      transaction: this,
      add: (row: Row) => {
        const id = store.next++;
        const copy = structuredClone(row);
        return this.#answer((request) => {
          rows.set(id, { ...copy, id });
          request.result = id;
        });
      },
      delete: (id: number) => this.#answer(() => rows.delete(id)),
      clear: () => this.#answer(() => rows.clear()),
      openCursor: () => {
        let ids: number[] | null = null;
        const request = this.#answer(step);
        const goOn = () => this.#answer(step, request);
        function step(): void {
          ids = (ids ?? [...rows.keys()]).filter((one) => rows.has(one));
          const id = ids.shift();
          request.result =
            id === undefined
              ? null
              : { value: rows.get(id), delete: () => rows.delete(id), continue: goOn };
        }
        return request;
      },
    };
  }

  #answer(work: (request: FakeRequest) => void, request = new FakeRequest()): FakeRequest {
    this.#pending++;
    setImmediate(() => {
      if (this.#base.fault === 'request') return request.onerror?.();
      if (this.#base.fault === 'transaction') return this.onerror?.();
      if (this.#base.fault === 'abort') return this.onabort?.();
      work(request);
      request.onsuccess?.();
      this.#pending--;
      if (this.#pending === 0) setImmediate(() => this.oncomplete?.());
    });
    return request;
  }
}

/** What fails instead of each request. */
type RequestFault = 'request' | 'transaction' | 'abort' | null;

export class FakeBase {
  onversionchange: Listener = null;
  closed = false;
  fault: RequestFault = null;
  readonly transactions: unknown[] = [];
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  createObjectStore(name: string): void {
    this.#stores.set(name, { rows: new Map(), next: 1 });
  }

  transaction(_store: string, mode = 'readonly', options: unknown = {}): FakeTransaction {
    if (this.closed) throw new Error('the connection is closed');
    this.transactions.push([mode, options]);
    return new FakeTransaction(this, this.#stores);
  }

  close(): void {
    this.closed = true;
  }
}

export class FakeIndexedDb {
  readonly opened: FakeBase[] = [];
  /** The error of opening, if it fails. */
  fault: 'error' | 'blocked' | null = null;
  /** What fails in the databases that are opened next. */
  requestFault: RequestFault = null;
  readonly #bases = new Map<string, Stores>();

  open(name: string): FakeRequest {
    const request = new FakeRequest();
    setImmediate(() => {
      if (this.fault === 'error') request.onerror?.();
      else if (this.fault === 'blocked') request.onblocked?.();
      if (this.fault !== null) return;
      const found = this.#bases.get(name);
      const stores = found ?? new Map();
      this.#bases.set(name, stores);
      const base = new FakeBase(stores);
      base.fault = this.requestFault;
      this.opened.push(base);
      request.result = base;
      if (found === undefined) request.onupgradeneeded?.();
      request.onsuccess?.();
    });
    return request;
  }
}
