// The page's end of the calls to the worker: promises, progress and cancel over messages.
import type { CallTable, Fault, FromWorker, ToWorker } from './worker-messages.ts';

/** A call that the worker could not do. */
export class WorkerFault extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

export type Progress = (done: number, total: number | null) => void;

type Waiting = {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly progress: Progress | undefined;
};

/** The worker is quiet when it had no call to answer at so many looks, so many ms apart. */
const LOOKS = 2;
const LOOK_MS = 50;
/** Somebody may keep it busy: nothing waits longer than this for it to be quiet. */
const LONGEST_WAIT_MS = 10_000;

/** Sends calls to one worker and matches the answers. */
export class WorkerCalls<Table extends CallTable> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#answer(data);
    worker.onerror = (event) => this.#fail(event.message || 'The worker failed');
  }

  call<Name extends keyof Table & string>(
    name: Name,
    args: Table[Name]['args'],
    options: { signal?: AbortSignal; progress?: Progress; transfer?: Transferable[] } = {},
  ): Promise<Table[Name]['result']> {
    const id = this.#next++;
    const { signal, progress, transfer = [] } = options;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, progress });
      signal?.addEventListener('abort', () => this.#post({ cancel: id }, []), { once: true });
      this.#post({ id, name, args }, transfer);
    });
  }

  /** Waits until what was asked for is answered and nothing more follows at once: then what is open is also drawn. */
  async quiet(): Promise<void> {
    let looks = 0;
    for (let waited = 0; looks < LOOKS && waited < LONGEST_WAIT_MS; waited += LOOK_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      looks = this.#waiting.size === 0 ? looks + 1 : 0;
    }
  }

  #post(message: ToWorker, transfer: Transferable[]): void {
    this.#worker.postMessage(message, transfer);
  }

  #answer(message: FromWorker): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if ('done' in message) {
      waiting.progress?.(message.done, message.total);
      return;
    }
    this.#waiting.delete(message.id);
    if ('fault' in message) waiting.reject(new WorkerFault(message.fault));
    else waiting.resolve(message.value as never);
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new WorkerFault({ code: 'failed', message, line: null, column: null }));
    }
    this.#waiting.clear();
  }
}
