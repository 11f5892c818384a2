// A fake XMLHttpRequest: records requests, and responds when a test says so.

export class StandInUpload extends EventTarget {
  readonly upload = new EventTarget();
  readonly headers: Record<string, string> = {};
  readonly responseHeaders: Record<string, string> = {};
  method = '';
  address = '';
  body: FormData | URLSearchParams | null = null;
  status = 0;
  responseText = '';

  open(method: string, address: string): void {
    this.method = method;
    this.address = address;
  }

  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }

  getResponseHeader(name: string): string | null {
    return this.responseHeaders[name] ?? null;
  }

  send(body: FormData | URLSearchParams): void {
    this.body = body;
    sent.push(this);
  }

  abort(): void {
    this.dispatchEvent(new Event('abort'));
  }

  /** Responds. A body that is not a string is sent as JSON. */
  answer(status: number, body: unknown): void {
    this.status = status;
    this.responseText = typeof body === 'string' ? body : JSON.stringify(body);
    this.dispatchEvent(new Event('load'));
  }

  fail(): void {
    this.dispatchEvent(new Event('error'));
  }

  progress(loaded: number, total: number): void {
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded, total }));
  }
}

/** All requests in the order in which they were sent. */
export const sent: StandInUpload[] = [];

/** The newest request. */
export function newest(): StandInUpload {
  const request = sent.at(-1);
  if (request === undefined) throw new Error('Nothing was sent');
  return request;
}

Object.defineProperty(globalThis, 'XMLHttpRequest', { value: StandInUpload, configurable: true });
