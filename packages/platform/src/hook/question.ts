// What the publish hook is asked about a build, and what it answers.

/** What the hook learns about a build beside its files. */
export type BuildFacts = {
  readonly game: { readonly id: string; readonly slug: string; readonly title: string };
  readonly owner: { readonly id: string; readonly name: string };
  readonly release: {
    readonly version: string;
    /** Whether only people with a link get it. */
    readonly staged: boolean;
    readonly files: number;
    /** Size of all files in bytes. */
    readonly bytes: number;
  };
};

/** A question about one build. */
export type Question = {
  readonly facts: BuildFacts;
  /** Returns a new path in a folder that is removed after the answer, also after a crash. */
  readonly newPath: () => string;
  /** Writes the files of the build below a new folder. */
  readonly writeFiles: (folder: string) => Promise<void>;
  /** Yields the ZIP with the files of the build. */
  readonly readZip: () => AsyncIterable<Uint8Array>;
};

export type Verdict = { readonly accepted: true } | Rejection;

/** The reason is one line for the developer, and may be empty. */
export type Rejection = { readonly accepted: false; readonly reason: string };

/**
 * Asks the hook. Throws a {@link HookError} if it gives no answer, and the reason of the signal if that aborts first. Errors of the file
 * store and of the disk pass through.
 */
export type PublishHook = (question: Question, signal: AbortSignal) => Promise<Verdict>;

/** The hook gave no answer. The message is for the operator and has no secrets. */
export class HookError extends Error {
  override readonly name = 'HookError';
}

const REASON_LINES = 5;
const REASON_CHARACTERS = 500;
/** After any other end of a line, such as that of a scanner's finding, a semicolon separates the next line. */
const SENTENCE_END = /[.,:;!?]$/;

/** Returns the rejection with the first lines of a text as its reason, in one line without control and invisible characters. */
export function rejection(text: string): Rejection {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map(toLine);
  const reason = lines
    .filter((line) => line !== '')
    .slice(0, REASON_LINES)
    .reduce(
      (all, line) => (all === '' ? line : `${all}${SENTENCE_END.test(all) ? '' : ';'} ${line}`),
      '',
    );
  return { accepted: false, reason: [...reason].slice(0, REASON_CHARACTERS).join('').trim() };
}

function toLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
}
