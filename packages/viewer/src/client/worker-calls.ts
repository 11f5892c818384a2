// The page's side of the calls to the worker: promises, progress and cancellation over messages.
import type { CallTable, Fault, FromWorker, ToWorker } from './worker-messages.ts';

/** A call that failed in the worker. */
export class WorkerError extends Error {
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

/** Sends calls to one worker and assigns the answers to them. */
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
    if ('fault' in message) waiting.reject(new WorkerError(message.fault));
    else waiting.resolve(message.value as never);
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new WorkerError({ code: 'failed', message, line: null, column: null }));
    }
    this.#waiting.clear();
  }
}
