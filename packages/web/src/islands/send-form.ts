// Sends a form, reports the progress of the upload, and reads the server's JSON.
import { type Reply, sendBody } from './send-body.ts';

/** A fault or a warning. `entry` is the file of the build that it concerns; null if it concerns no file. */
export type Finding = {
  readonly entry: string | null;
  readonly message: string;
  readonly hint: string | null;
};

/** The result of a request. `answer` is the server's JSON, or null if it is invalid. */
export type Sent =
  | { readonly state: 'done'; readonly answer: unknown }
  | { readonly state: 'refused'; readonly message: string; readonly findings: readonly Finding[] }
  | { readonly state: 'signed-out' }
  | { readonly state: 'stopped' }
  | { readonly state: 'unreachable' };

/** Sends a form by POST. `onProgress` is called with the share of the body that is sent, 0 to 1. Never rejects. */
export async function sendForm(
  address: string,
  form: FormData | URLSearchParams,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<Sent> {
  return readSent(await sendBody(address, { body: form }, signal, onProgress));
}

/** Reads what a reply means for the user. */
export function readSent(reply: Reply): Sent {
  if (reply.state !== 'answered') return reply;
  const { status, answer } = reply;
  if (status >= 200 && status < 300) return { state: 'done', answer };
  if (status === 401) return { state: 'signed-out' };
  const error = field(answer, 'error');
  const message =
    text(error, 'message') ?? `The store returned an unreadable response (${status}).`;
  // The first detail can repeat the message, without its full stop.
  const findings = readFindings(field(error, 'details')).filter(
    (finding) => finding.message !== message && `${finding.message}.` !== message,
  );
  return { state: 'refused', message, findings };
}

/** Reads the findings of a response; empty if `list` is not an array. */
export function readFindings(list: unknown): Finding[] {
  if (!Array.isArray(list)) return [];
  return list.map((one: unknown) => ({
    entry: text(one, 'entry'),
    message: text(one, 'message') ?? '',
    hint: text(one, 'hint'),
  }));
}

/** A field of a value from JSON; undefined if the value is not an object. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A string field of a value from JSON; null if it is not a string. */
export function text(value: unknown, name: string): string | null {
  const found = field(value, name);
  return typeof found === 'string' ? found : null;
}
