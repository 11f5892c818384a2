// Sends a form, with files or without, tells how far it is, and says what came of it in words that a page can show.

/** One thing that the checker says; `entry` is the file of the build, or the field, that it is about. */
export type Finding = {
  readonly entry: string | null;
  readonly message: string;
  readonly hint: string | null;
};

/** What came of it. `told` of what worked is the server's JSON. */
export type Sent =
  | { readonly state: 'done'; readonly told: unknown }
  | { readonly state: 'refused'; readonly message: string; readonly findings: readonly Finding[] }
  | { readonly state: 'signed-out' }
  | { readonly state: 'stopped' }
  | { readonly state: 'unreachable' };

/** Sends by POST; `onProgress` hears the share that is sent, 0 to 1. Never rejects. */
export function sendForm(
  address: string,
  form: FormData | URLSearchParams,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<Sent> {
  // Only XMLHttpRequest tells how much of a body has been sent.
  const request = new XMLHttpRequest();
  return new Promise((resolve) => {
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('abort', () => resolve({ state: 'stopped' }));
    request.addEventListener('error', () => resolve({ state: 'unreachable' }));
    request.addEventListener('load', () => resolve(readAnswer(request)));
    signal.addEventListener('abort', () => request.abort());
    request.open('POST', address);
    request.setRequestHeader('accept', 'application/json');
    request.send(form);
  });
}

function readAnswer({ status, responseText }: XMLHttpRequest): Sent {
  const told = parseJson(responseText);
  if (status >= 200 && status < 300) return { state: 'done', told };
  if (status === 401) return { state: 'signed-out' };
  const error = field(told, 'error');
  const message =
    text(error, 'message') ?? `The store gave an answer that can’t be read (${status}).`;
  // The first detail may be the message itself, which ends in a full stop here.
  const findings = readFindings(field(error, 'details')).filter(
    (finding) => finding.message !== message && `${finding.message}.` !== message,
  );
  return { state: 'refused', message, findings };
}

/** The findings in an answer; what is none is left out. */
export function readFindings(list: unknown): Finding[] {
  if (!Array.isArray(list)) return [];
  return list.map((one: unknown) => ({
    entry: text(one, 'entry'),
    message: text(one, 'message') ?? '',
    hint: text(one, 'hint'),
  }));
}

/** A field of something that was read from JSON. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A field that is text; null where it is not. */
export function text(value: unknown, name: string): string | null {
  const found = field(value, name);
  return typeof found === 'string' ? found : null;
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return null;
  }
}
