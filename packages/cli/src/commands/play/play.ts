// `svc play`: serves a build on this machine as players will get it, and opens it in a browser.
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import type { Preview } from '@svc/delivery/preview';
import { watchStarter } from '@svc/serve/watch-starter';
import { bytesText } from '@svc/trace/number-text';
import {
  type Call,
  defineCommand,
  type OptionSpec,
  type OptionValues,
} from '../../command-line/define-command.ts';
import { parsePort } from '../../command-line/values.ts';
import { formatFindings } from '../../output/format-findings.ts';
import { formatCount, formatFields, safeLine } from '../../output/text.ts';
import { findDataFolder } from '../../process/data-folder.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { countSignals } from '../../process/interrupt.ts';
import type { Io } from '../../process/io.ts';
import { openInBrowser, writeRedirectFile } from '../../process/open-browser.ts';
import { prepareBuild } from '../../project/prepare-build.ts';
import { readProjectFile } from '../../project/project-file.ts';
import { servePrepared } from '../../project/serve-build.ts';
import { isWebAddress } from '../../project/web-address.ts';

const OPTIONS = [
  {
    flags: '--port <PORT>',
    help: 'port on 127.0.0.1 (default: a free one); browsers keep saved games by port',
    parse: parsePort,
  },
  { flags: '--allow-secrets', help: 'allow keys and .env files, which every player can read' },
  {
    flags: '--profiling',
    help: 'allow the game to measure its own functions, as the setting of the store page does',
  },
  { flags: '--no-open', help: 'print the address and do not open a browser' },
] as const satisfies readonly OptionSpec[];

type PlayCall = Call<OptionValues<typeof OPTIONS>, 'play'>;

export const playCommand = defineCommand({
  name: 'play',
  summary: 'Play a build on this machine, as players will get it',
  description: `svc checks the build by the rules of the platform, serves it on 127.0.0.1 and opens it in a browser. The files have the headers, types and encodings that players get after a publish, so that a fault of the host shows before: a missing isolation, a wrong type, a reference that does not work. Files that the game requests and the build does not have are listed. No data leaves this machine. Other users and other pages can't read the build, because its address contains a secret.

svc serves the build as it was at the start. Run the command again after a change. The preview ends with Ctrl-C. A URL is only opened.`,
  arguments: [
    {
      name: '[DIR|ZIP|URL]',
      help: 'the build (default: the one in svc.json)',
      value: { kind: 'file', endings: ['zip'] },
    },
  ],
  options: OPTIONS,
  examples: [
    ['svc play', 'the build that svc.json names'],
    ['svc play dist --port 8000', 'a folder, at the same port each time'],
    ['svc play dist --profiling', 'for a game that records its functions with @svc/collector'],
    ['svc play game.zip --no-open --json', 'in a script; the first line has the address'],
  ],
  document: 'play',
  streaming: true,
  async run(call) {
    const [target] = call.args;
    if (target !== undefined && isWebAddress(target)) openPage(call, target);
    else await playBuild(call, target);
  },
});

function openPage({ output, options }: PlayCall, url: string): void {
  if (!options.open) {
    throw usageError(
      'With a URL, svc play only opens the browser, and --no-open forbids that.',
      'Leave out --no-open, or name a folder or a ZIP.',
    );
  }
  openInBrowser(url);
  output.event({ event: 'opened', url });
  output.line(`Opened ${url} in the browser.`);
}

async function playBuild(call: PlayCall, named: string | undefined): Promise<void> {
  const { io, output } = call;
  const ending = new AbortController();
  const stop = countSignals(io, (count, signal) => {
    if (count > 1) io.exit(128 + constants.signals[signal]);
    ending.abort();
  });
  using _starter = watchStarter(io.env, () => ending.abort());
  try {
    await using started = await start(call, named, ending.signal);
    announce(call, started);
    using _page = openPreview(call, started.preview.url);
    await aborted(ending.signal);
  } catch (error) {
    if (!ending.signal.aborted || error !== ending.signal.reason) throw error;
  } finally {
    stop();
  }
  output.event({ event: 'ended' });
  output.line('The preview has ended.');
}

/** A running preview, and the path of its build relative to the working directory. */
type Started = AsyncDisposable & { readonly preview: Preview; readonly shownPath: string };

async function start(
  { io, output, options }: PlayCall,
  named: string | undefined,
  signal: AbortSignal,
): Promise<Started> {
  using prepared = await prepareBuild({
    cwd: io.cwd,
    named,
    project: readProjectFile(io.cwd),
    allowSecrets: options.allowSecrets === true,
    limits: {},
    signal,
  });
  try {
    const preview = await servePrepared(prepared, {
      ...{ port: options.port, profiling: options.profiling === true, signal },
      onMissing(path) {
        output.event({ event: 'missing', path });
        output.line(`The game requested ${safeLine(path)}, which the build does not have.`);
      },
      onFailure: (reason) => output.warn(`The preview could not send a file: ${reason}`),
    });
    const { shownPath } = prepared;
    return { preview, shownPath, [Symbol.asyncDispose]: () => preview[Symbol.asyncDispose]() };
  } catch (error) {
    throw portError(error, options.port ?? 0);
  }
}

function announce(
  { output, options }: PlayCall,
  { preview: { url, build }, shownPath }: Started,
): void {
  const { digest, file_count, expanded_bytes, isolation, threads, warnings } = build;
  output.event({
    event: 'listening',
    ...{ url, path: shownPath, digest, file_count, expanded_bytes, isolation, threads },
    findings: warnings,
  });
  const files = file_count === 1 ? '1 file' : `${formatCount(file_count)} files`;
  const fields = formatFields([
    ['Play', url],
    ['Build', `${safeLine(shownPath)} (${files}, ${bytesText(expanded_bytes)})`],
    ['Isolation', `${isolation}, as after a publish`],
    ...(options.profiling === true ? ([['Profiling', 'allowed']] as const) : []),
    ['Stop', 'Ctrl-C'],
  ]).map((line) => line.replace(/^\w+/, (name) => output.paint('bold', name)));
  for (const line of [...fields, ...formatFindings(warnings, output.paint)]) output.line(line);
}

/** On a terminal, opens the preview in the browser. Disposing of it removes the file that leads there. */
function openPreview({ io, output, options }: PlayCall, url: string): Disposable {
  const file =
    options.open && !output.json && io.stdout.isTTY === true ? tryWriteFile(io, url) : null;
  if (file !== null) openInBrowser(file);
  return {
    [Symbol.dispose]: () => {
      if (file !== null) rmSync(file, { force: true });
    },
  };
}

function tryWriteFile(io: Io, url: string): string | null {
  try {
    return writeRedirectFile(findDataFolder(io), url, 'the game');
  } catch {
    // Failing to open the browser is not an error, because the address is printed.
    return null;
  }
}

function portError(error: unknown, port: number): unknown {
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'listen')) return error;
  const isDenied = 'code' in error && error.code === 'EACCES';
  const reason = isDenied
    ? 'this user may not use this port'
    : 'another program listens on this port';
  return new ExitError(
    EXIT.unexpected,
    isDenied ? 'port_denied' : 'port_busy',
    `Cannot listen on 127.0.0.1:${port}: ${reason}.`,
    { hint: 'Choose another port, or leave out --port for a free one.', cause: error },
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
