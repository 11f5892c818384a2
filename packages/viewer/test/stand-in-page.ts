// A stand-in for the browser: address, storage and worker. Import it before the page's modules.

import { startEngine } from '../src/client/engine-client.ts';
import type { Fault, FromWorker, ToWorker } from '../src/client/worker-messages.ts';
import type { CallName, Calls } from '../src/engine/calls.ts';

/** The worker's answers: a value, a promise, or a thrown Refusal. */
type Answers = {
  [Name in CallName]?: (
    args: Calls[Name]['args'],
    call: { progress: (done: number, total: number | null) => void; cancelled: AbortSignal },
  ) => Calls[Name]['result'] | Promise<Calls[Name]['result']>;
};

/** A fault that the worker reports. */
export class Refusal extends Error {
  readonly fault: Fault;
  constructor(code: Fault['code'], message: string) {
    super(message);
    this.fault = { code, message, line: null, column: null };
  }
}

class StandInWorker {
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  readonly #running = new Map<number, AbortController>();

  constructor() {
    page.workers++;
  }

  terminate(): void {
    page.workers--;
    this.onmessage = null;
  }

  postMessage(message: ToWorker): void {
    if ('cancel' in message) {
      this.#running.get(message.cancel)?.abort();
      return;
    }
    const { id, args } = message;
    const name = message.name as CallName;
    page.asked.push({ name, args });
    void this.#answer(id, name, args);
  }

  async #answer(id: number, name: CallName, args: unknown): Promise<void> {
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    const send = (data: FromWorker): void => this.onmessage?.({ data });
    const progress = (done: number, total: number | null): void => send({ id, done, total });
    const handle = page.answers[name] as ((args: unknown, call: unknown) => unknown) | undefined;
    try {
      if (handle === undefined) throw new Refusal('failed', `No answer to ${name}`);
      send({ id, value: await handle(args, { progress, cancelled: cancel.signal }) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send({ id, fault: error.fault });
    } finally {
      this.#running.delete(id);
    }
  }
}

class StandInStorage {
  readonly items = new Map<string, string>();
  isFull = false;

  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (this.isFull) throw new DOMException('full', 'QuotaExceededError');
    this.items.set(key, value);
  }
}

const events = new EventTarget();
const location = { hash: '', host: '127.0.0.1:6767', pathname: '/', search: '' };

/** The page as the modules see it, and what they did to it. */
export const page = {
  location,
  /** Every address that was set. */
  replaced: [] as string[],
  sessionStorage: new StandInStorage(),
  localStorage: new StandInStorage(),
  dark: Object.assign(new EventTarget(), { matches: false }),
  /** The number of running workers. */
  workers: 0,
  /** Every call to the worker, in order. */
  asked: [] as { readonly name: CallName; readonly args: unknown }[],
  answers: {} as Answers,
  /** Sets another fragment, like a link. */
  go(hash: string): void {
    location.hash = hash;
    events.dispatchEvent(new Event('hashchange'));
  },
  dispatch: (event: Event): boolean => events.dispatchEvent(event),
};

const history = {
  replaceState(_state: unknown, _title: string, address: string): void {
    page.replaced.push(address);
    location.hash = address.includes('#') ? address.slice(address.indexOf('#')) : '';
  },
};

for (const [name, value] of Object.entries({
  location,
  history,
  sessionStorage: page.sessionStorage,
  localStorage: page.localStorage,
  matchMedia: () => page.dark,
  devicePixelRatio: 1,
  addEventListener: events.addEventListener.bind(events),
  document: { documentElement: { dataset: {} } },
})) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

startEngine(() => new StandInWorker() as unknown as Worker);

/** Lets pending promises and immediates run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
