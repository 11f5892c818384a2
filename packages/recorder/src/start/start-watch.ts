// Watches whether a game starts: when it draws for the first time, and what keeps it from starting.
import type { CDPSession } from 'puppeteer-core';
import type { TargetKind, TargetWatch } from '../browser/follow-targets.ts';
import {
  blockedRequest,
  isolationFault,
  missingFile,
  noFrame,
  plainHttp,
  type StartFault,
  uncaughtError,
} from './start-fault.ts';

/** How long a game may take until its first frame. */
const START_MS = 15_000;
/** How long a game that has a fault is watched for further faults, and for its first frame. */
const FAULT_MS = 3_000;
/** The most faults and the most warnings that are kept. */
const MOST = 50;

/** Requests that browsers make by themselves. */
const OWN_REQUESTS = /(^|\/)favicon\.ico$|\.map$/;
/** Requests for images and media without encryption are made with it instead. */
const UPGRADED = new Set(['Image', 'Media', 'Document', 'Ping', 'WebSocket']);
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** The name of the page of a game. */
const PAGE = 'index.html';

export type StartState = {
  /** From the load of the page to the first draw. Null if there was none. */
  readonly first_frame_ms: number | null;
  /** What keeps the game from starting. */
  readonly faults: readonly StartFault[];
  /** Errors after the first frame, and others that do not keep the game from starting. */
  readonly warnings: readonly StartFault[];
};

type Request = { readonly url: string; readonly method: string };

export class StartWatch implements TargetWatch {
  readonly #base: string;
  readonly #faults = new Map<string, StartFault>();
  readonly #warnings = new Map<string, StartFault>();
  readonly #judged = Promise.withResolvers<void>();
  readonly #timers: NodeJS.Timeout[] = [];
  #beganAt = 0;
  #drawnAt: number | null = null;
  /** Called for each fault and warning, once. `isOwn`: it is an error of the game, and not of its advertisements or the browser. */
  onFound: (found: StartFault, isOwn: boolean) => void = () => {};

  /** `base` is the address of the game. Files below it belong to the game. */
  constructor(base: string) {
    this.#base = base;
  }

  /** Resolves at the first frame, or when the game is late for it. */
  get judged(): Promise<void> {
    return this.#judged.promise;
  }

  get state(): StartState {
    return {
      first_frame_ms: this.#drawnAt === null ? null : this.#drawnAt - this.#beganAt,
      faults: [...this.#faults.values()],
      warnings: [...this.#warnings.values()],
    };
  }

  /** Begins to measure the time. Call it before the page is loaded. */
  begin(): void {
    this.#beganAt = performance.now();
    this.#after(START_MS, () => {
      if (this.#drawnAt === null) this.#addFault(noFrame(START_MS / 1000));
      this.#judged.resolve();
    });
  }

  /** A document or worker first drew `ago_ms` milliseconds ago. */
  firstDraw(ago_ms: number): void {
    this.#drawnAt ??= Math.max(this.#beganAt, performance.now() - ago_ms);
    this.#judged.resolve();
  }

  /** The tab or the browser has crashed. `message` is a sentence for the user. */
  crashed(message: string): void {
    this.#addFault({ rule: 'crashed', path: null, message, hint: null });
  }

  follow(session: CDPSession, kind: TargetKind): void {
    const requests = new Map<string, Request>();
    session.on('Runtime.exceptionThrown', ({ exceptionDetails }) => {
      const { fault, isHarmless } = uncaughtError(exceptionDetails, (url) => this.#nameOf(url));
      const isWarning = isHarmless || kind === 'frame' || this.#drawnAt !== null;
      if (isWarning) this.#keep(this.#warnings, fault, !isHarmless && kind !== 'frame');
      else this.#addFault(fault);
    });
    session.on('Runtime.consoleAPICalled', ({ type, args }) => {
      if (type !== 'error') return;
      const line = args.map(({ value, description }) => String(value ?? description ?? ''));
      this.#addFault(isolationFault(line.join(' ')));
    });
    session.on('Log.entryAdded', ({ entry }) => {
      if (entry.level !== 'error' || entry.source === 'network') return;
      this.#addFault(isolationFault(entry.text));
    });
    session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
      requests.set(requestId, { url: request.url, method: request.method });
      this.#checkAddress(request.url, type);
    });
    session.on('Network.responseReceived', ({ requestId, response }) => {
      if (requests.get(requestId)?.method !== 'HEAD') {
        this.#checkStatus(response.url, response.status);
      }
    });
    session.on('Network.loadingFinished', ({ requestId }) => requests.delete(requestId));
    session.on('Network.loadingFailed', ({ requestId, blockedReason }) => {
      const url = requests.get(requestId)?.url;
      requests.delete(requestId);
      if (url === undefined || blockedReason === undefined) return;
      this.#addFault(blockedRequest(this.#nameOf(url), blockedReason));
    });
    for (const command of ['Network.enable', 'Log.enable'] as const) {
      // A failure means that the target is gone.
      session.send(command).catch(() => {});
    }
  }

  unfollow(): void {}

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #checkStatus(url: string, status: number): void {
    if (status < 400 || !url.startsWith(this.#base)) return;
    const path = this.#nameOf(url);
    if (!OWN_REQUESTS.test(path)) this.#addFault(missingFile(path, status));
  }

  /** A build that is served on this machine may load files that a published page may not. */
  #checkAddress(url: string, type: string | undefined): void {
    if (!url.startsWith('http://') || UPGRADED.has(type ?? '')) return;
    if (!LOOPBACK.test(new URL(url).hostname)) this.#addFault(plainHttp(this.#nameOf(url)));
  }

  #addFault(fault: StartFault | null): void {
    if (fault === null) return;
    const isFirst = this.#faults.size === 0;
    this.#keep(this.#faults, fault, true);
    if (isFirst) this.#after(FAULT_MS, () => this.#judged.resolve());
  }

  /** Keeps and reports each fault once. */
  #keep(faults: Map<string, StartFault>, fault: StartFault, isOwn: boolean): void {
    const key = `${fault.rule} ${fault.path} ${fault.message}`;
    if (faults.size >= MOST || faults.has(key)) return;
    faults.set(key, fault);
    this.onFound(fault, isOwn);
  }

  /** The path of a file of the game, or the address of another one, without query and fragment. */
  #nameOf(url: string): string {
    const [address = ''] = url.split(/[?#]/);
    if (!address.startsWith(this.#base)) return address;
    return decoded(address.slice(this.#base.length)) || PAGE;
  }

  #after(ms: number, run: () => void): void {
    this.#timers.push(setTimeout(run, ms));
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
