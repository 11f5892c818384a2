// What keeps a game from starting, as sentences for the user.
import type { Protocol } from 'puppeteer-core';

export type StartRule =
  | 'missing_file'
  | 'uncaught_error'
  | 'blocked_request'
  | 'plain_http'
  | 'isolation'
  | 'no_frame'
  | 'crashed';

/** The message is one sentence. Parts of it come from the game. */
export type StartFault = {
  readonly rule: StartRule;
  readonly message: string;
  /** The file, relative to the game, or its address. For an error with its line and column. Null if it is unknown. */
  readonly path: string | null;
  readonly hint: string | null;
};

/** The longest text of an error or address that is shown, in characters. */
const LONGEST = 300;

/** Rejections that browsers cause by themselves, such as sound before the first click. */
const HARMLESS = /^(NotAllowedError|AbortError|NotSupportedError)\b|^ResizeObserver loop/;
const ISOLATION = /cross[- ]?origin[- ](isolat|opener|embedder)|SharedArrayBuffer|mixed content/i;

/** An error that the game does not catch, and whether a game can start with it. */
export function uncaughtError(
  details: Protocol.Runtime.ExceptionDetails,
  shorten: (url: string) => string,
): { readonly fault: StartFault; readonly isHarmless: boolean } {
  const { text, exception, url, lineNumber, columnNumber, stackTrace } = details;
  const thrown = exception?.description ?? String(exception?.value ?? text);
  const message = cut(thrown.split('\n')[0] ?? text);
  const [top] = stackTrace?.callFrames ?? [];
  const place = top ?? { url: url ?? '', lineNumber, columnNumber };
  const path =
    place.url === ''
      ? null
      : `${shorten(place.url)}:${place.lineNumber + 1}:${place.columnNumber + 1}`;
  const fault = {
    ...{ rule: 'uncaught_error' as const, path },
    message: message.startsWith('Uncaught') ? message : `Uncaught ${message}`,
    hint: null,
  };
  return { fault, isHarmless: HARMLESS.test(message) };
}

/** A file of the game that the server does not send. */
export function missingFile(path: string, status: number): StartFault {
  const message =
    status === 404
      ? `The game requested ${cut(path)}, which does not exist.`
      : `The game requested ${cut(path)}, and the server answered with status ${status}.`;
  const hint = 'Add the file to the build, or do not request it.';
  return { rule: 'missing_file', path, message, hint };
}

/** A request that the browser blocked. Null if it failed for a reason that says nothing about players. */
export function blockedRequest(path: string, reason: string): StartFault | null {
  const shown = cut(path);
  if (reason === 'mixed-content') return plainHttp(path);
  if (!/^(coep|corp|coop)-/.test(reason)) return null;
  return {
    ...{ rule: 'blocked_request', path },
    message: `The browser blocked ${shown}, because the game is cross-origin isolated.`,
    hint: 'Add the file to the build, or serve it with the header Cross-Origin-Resource-Policy: cross-origin.',
  };
}

/** A file of another server without encryption. */
export function plainHttp(path: string): StartFault {
  return {
    ...{ rule: 'plain_http', path },
    message: `The game loads ${cut(path)} without encryption, which browsers block on published pages.`,
    hint: 'Load it with https, or add the file to the build.',
  };
}

/** A line of the console about isolation or mixed content. Null for another line. */
export function isolationFault(line: string): StartFault | null {
  if (!ISOLATION.test(line)) return null;
  return {
    ...{ rule: 'isolation', path: null },
    message: `The console reports: ${cut(line.split('\n')[0] ?? '')}`,
    hint: 'Games with threads need a cross-origin isolated page. See "isolation" in svc check.',
  };
}

/** The game has drawn nothing within the time. */
export function noFrame(seconds: number): StartFault {
  return {
    ...{ rule: 'no_frame', path: null },
    message: `The game drew no frame within ${seconds} s.`,
    hint: null,
  };
}

/** A fault in one line: the position of an error after its message. */
export function faultText({ rule, message, path }: StartFault): string {
  return rule === 'uncaught_error' && path !== null ? `${message} (${path})` : message;
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
