// Sends a body by POST with XMLHttpRequest, and reports the progress of the upload.

/** The server's answer, or how the request ended without one. `answer` is the server's JSON, or null if it is invalid. */
export type Reply =
  | {
      readonly state: 'answered';
      readonly status: number;
      readonly answer: unknown;
      /** Seconds to wait before the next attempt; null if the server did not state them. */
      readonly retryAfterSeconds: number | null;
    }
  | { readonly state: 'stopped' }
  | { readonly state: 'unreachable' };

export type Body = {
  readonly body: FormData | URLSearchParams | string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends the body. `onProgress` is called with the share of it that is sent, 0 to 1. Never rejects. */
export function sendBody(
  address: string,
  { body, headers = {} }: Body,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<Reply> {
  if (signal.aborted) return Promise.resolve({ state: 'stopped' });
  // `fetch` does not report the progress of an upload.
  const request = new XMLHttpRequest();
  const stop = (): void => request.abort();
  return new Promise<Reply>((resolve) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('abort', () => resolve({ state: 'stopped' }));
    request.addEventListener('error', () => resolve({ state: 'unreachable' }));
    request.addEventListener('load', () => resolve(readReply(request)));
    signal.addEventListener('abort', stop);
    request.open('POST', address);
    request.setRequestHeader('accept', 'application/json');
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(body);
  }).finally(() => signal.removeEventListener('abort', stop));
}

function readReply(request: XMLHttpRequest): Reply {
  const { status, responseText } = request;
  const seconds = Number(request.getResponseHeader('retry-after') ?? Number.NaN);
  return {
    state: 'answered',
    status,
    answer: parseJson(responseText),
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
  };
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return null;
  }
}
