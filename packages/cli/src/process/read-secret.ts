// Reads a secret from standard input: a pipe to its end, or one line of a terminal without echo.
import { runsInCi } from './attended.ts';
import { EXIT, ExitError } from './exit-codes.ts';
import type { Io, Source } from './io.ts';

const LONGEST_BYTES = 64 * 1024;

/**
 * Returns the secret without surrounding white space. `what` names it in error messages; the error code is `WHAT_malformed`.
 * Throws an ExitError: 3 in CI, 7 for an input over 64 KiB, 130 for Ctrl-C.
 */
export async function readSecret(
  io: Io,
  prompt: string,
  what: 'token' | 'key' = 'token',
): Promise<string> {
  const { stdin } = io;
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) return await readPipe(stdin, what);
  if (runsInCi(io.env)) {
    throw new ExitError(
      EXIT.unauthenticated,
      'no_terminal',
      `Cannot ask for a ${what}: the environment variable CI is set.`,
      {
        hint: `Pipe the ${what} into standard input.`,
      },
    );
  }
  io.stderr.write(prompt);
  stdin.setRawMode(true);
  try {
    return await readLine(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    io.stderr.write('\n');
  }
}

async function readPipe(stdin: Source, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > LONGEST_BYTES) {
      throw new ExitError(
        EXIT.invalid,
        `${what}_malformed`,
        `Standard input is too long for a ${what}.`,
      );
    }
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8').trim();
}

/** In raw mode the terminal sends every key, including Ctrl-C. */
function readLine(stdin: Source): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const done = (finish: () => void): void => {
      stdin.off('data', take);
      finish();
    };
    const take = (chunk: Buffer | string): void => {
      for (const key of chunk.toString()) {
        if (key === '\r' || key === '\n' || key === '\u0004') {
          done(() => resolve(line.trim()));
          return;
        }
        if (key === '\u0003') {
          done(() => reject(new ExitError(EXIT.interrupted, 'interrupted', 'Interrupted.')));
          return;
        }
        if (key === '\u007f' || key === '\b') line = line.slice(0, -1);
        else if (key === '\u0015') line = '';
        else if (key >= ' ') line += key;
      }
    };
    stdin.on('data', take);
    stdin.resume();
  });
}
