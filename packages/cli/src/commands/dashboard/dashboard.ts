// `svc dashboard`: starts the local agent, tells where it is, and waits for one of the four endings.
import { constants, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Agent, AgentOptions } from '@svc/agent';
import { AGENT_DEFAULT_PORT, AGENT_LIMITS, TTL_MS } from '@svc/contracts/agent';
import { type AgentFiles, findAgentFiles } from '../../agent/agent-files.ts';
import { PROVIDER_URL_OPTION } from '../../agent/provider-options.ts';
import { type Call, defineCommand, InvalidValueError } from '../../command-line/define-command.ts';
import { parseDuration, parsePid, parsePort, parseSize } from '../../command-line/values.ts';
import { safeLine } from '../../output/text.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { countSignals } from '../../process/interrupt.ts';
import type { Io } from '../../process/io.ts';
import { VERSION } from '../../process/version.ts';
import { type Announcement, announce, tellEnding } from './announce.ts';

type DashboardOptions = {
  readonly pid?: number;
  readonly port?: number;
  readonly ttl?: number;
  readonly dataDir?: string;
  readonly storageCap?: number;
  readonly importLimit?: number;
  readonly pssInterval?: number;
  readonly probes?: readonly ('stacks' | 'files')[];
  readonly providerUrl?: string;
  readonly open: boolean;
};

export const dashboardCommand = defineCommand<DashboardOptions>({
  name: 'dashboard',
  summary: 'Watch a process on this machine, or open a trace, in a private viewer',
  description: `It serves the viewer on 127.0.0.1, for you alone: the printed address holds a secret that is new each time.
Nothing is recorded until you press Start in the viewer; then CPU, RSS and PSS of the one process that --pid names are sampled once a second. Nothing leaves this machine.

It ends with Ctrl-C, with End session in the viewer, when the time is over, or when the process exits. What was recorded is kept in the data folder ($XDG_DATA_HOME/svc, or ~/.local/share/svc).`,
  arguments: [
    {
      name: '[FILE]',
      help: 'a .vpt trace or a file of folded stacks to open',
      value: { kind: 'file', endings: ['vpt', 'folded'] },
    },
  ],
  options: [
    { flags: '--pid <PID>', help: 'the one process that may be watched', parse: parsePid },
    {
      flags: '--port <PORT>',
      help: `port on 127.0.0.1 (${AGENT_DEFAULT_PORT}); 0 takes a free one`,
      parse: parsePort,
    },
    {
      flags: '--ttl <TIME>',
      help: 'end by itself after this time, at most 24h (8h)',
      parse: (text) => parseDuration(text, { least: '1s', most: '24h' }),
    },
    { flags: '--data-dir <DIR>', help: 'where recordings are kept', value: { kind: 'folder' } },
    {
      flags: '--storage-cap <SIZE>',
      help: 'what one session may record (256MiB)',
      // Under this no recording fits, with the room that is kept back for its end.
      parse: (text) => parseSize(text, { least: '8KiB', most: '1024TiB' }),
    },
    {
      flags: '--import-limit <SIZE>',
      help: 'the largest trace to open (2GiB)',
      parse: (text) => parseSize(text, { least: '1B', most: '1024TiB' }),
    },
    {
      flags: '--pss-interval <TIME>',
      help: 'time between two readings of PSS, which stall a big process (1s)',
      parse: (text) => parseDuration(text, { least: '1s', most: '24h' }),
    },
    {
      flags: '--probes <LIST>',
      help: 'more to record, with a comma between: stacks (costs the process about 1 %), files (1.2 µs for each of its reads, 0.3 µs for those of all other programs)',
      parse: parseProbes,
      value: { kind: 'words', words: ['stacks', 'files', 'stacks,files'] },
    },
    PROVIDER_URL_OPTION,
    { flags: '--no-open', help: 'print the address, and open no browser' },
  ],
  examples: [
    ['svc dashboard --pid $(pidof -s my-game)', 'watch a game that runs'],
    ['svc dashboard last-night.vpt', 'look at a trace'],
    ['svc dashboard --port 0 --no-open --json', 'from a script: the address is in the first line'],
  ],
  streaming: true,
  run: runDashboard,
});

/** What is there to end so far, and whether a signal has asked for that. */
type Running = { agent: Agent | null; announcement: Announcement | null; asked: boolean };

async function runDashboard(call: Call<DashboardOptions>): Promise<void> {
  const { output, io, options } = call;
  const running: Running = { agent: null, announcement: null, asked: false };
  const starting = new AbortController();
  const end = (): void => {
    running.asked = true;
    starting.abort();
    running.agent?.end('signal');
  };
  // Before anything is reported: a script that reads the first line may send a signal at once.
  const stop = countSignals(io, (count, signal) => {
    if (count === 1) end();
    else if (count === 2) void endAtOnce(call, running, signal);
  });
  using _starter = await watchNpm(io, end);
  const agent = await start(call, starting.signal);
  if (agent === null) {
    stop();
    return tellEnding(output, { reason: 'signal', trace: null });
  }
  running.agent = agent;
  const announcement = announce(agent, io, output, {
    storageCapBytes: options.storageCap ?? AGENT_LIMITS.storage_cap_bytes,
    open: options.open && !running.asked,
  });
  running.announcement = announcement;
  if (running.asked) agent.end('signal');
  const ending = await agent.ended;
  stop();
  announcement.withdraw();
  tellEnding(output, ending);
}

/** A second signal: only the end of the recording is waited for, and not for long. */
async function endAtOnce(
  { io, output }: Call<DashboardOptions>,
  { agent, announcement }: Running,
  signal: NodeJS.Signals,
): Promise<void> {
  announcement?.withdraw();
  const { ending, finished } = (await agent?.endAtOnce('signal')) ?? {
    ending: { reason: 'signal', trace: null },
    finished: false,
  };
  tellEnding(output, ending, finished);
  io.exit(finished ? 0 : 128 + constants.signals[signal]);
}

/** Started by npm or npx, the dashboard ends when they are gone: nobody could end it any more. */
async function watchNpm(io: Io, onGone: () => void): Promise<Disposable> {
  const { watchStarter } = await import('@svc/agent');
  return watchStarter(io.env, onGone);
}

/** The agent, or null where the signal gave up its start: opening a large FILE takes its time. */
async function start(call: Call<DashboardOptions>, signal: AbortSignal): Promise<Agent | null> {
  const files = await findAgentFiles();
  const { startAgent, StartError } = await import('@svc/agent');
  try {
    return await startAgent({ ...agentOptions(call, files), signal });
  } catch (error) {
    if (signal.aborted && error === signal.reason) return null;
    if (!(error instanceof StartError)) throw error;
    if (error.code === 'invalid_option') throw usageError(error.message);
    const message = error.code === 'port_busy' ? busyPort(call) : error.message;
    // What the system says stands after a colon; a person needs one sentence.
    const sentence = message.replace(/: ENOENT: .*$/, ': there is no such file.');
    throw new ExitError(EXIT.unexpected, error.code, safeLine(sentence), { cause: error });
  }
}

function agentOptions(
  { args, options, io, output }: Call<DashboardOptions>,
  files: AgentFiles,
): AgentOptions {
  return {
    ...files,
    port: options.port ?? AGENT_DEFAULT_PORT,
    pid: options.pid ?? null,
    file: args[0] ?? null,
    dataDir: options.dataDir === undefined ? defaultDataDir(io) : resolve(io.cwd, options.dataDir),
    ttlMs: options.ttl ?? TTL_MS.default,
    storageCapBytes: options.storageCap ?? AGENT_LIMITS.storage_cap_bytes,
    importLimitBytes: options.importLimit ?? AGENT_LIMITS.import_bytes,
    pssIntervalMs: options.pssInterval ?? 1000,
    probes: options.probes ?? [],
    providerUrl: options.providerUrl ?? null,
    env: io.env,
    version: VERSION,
    onFailure: (error) => {
      output.warn(`a fault in the dashboard: ${error instanceof Error ? error.stack : error}`);
    },
  };
}

function defaultDataDir(io: Io): string {
  const configured = io.env['XDG_DATA_HOME'] ?? '';
  const home = io.env['HOME'] ?? '';
  const base = isAbsolute(configured)
    ? configured
    : // Without a home of its own in the environment: the one that the system has for this user.
      join(isAbsolute(home) ? home : userInfo().homedir, '.local', 'share');
  return join(base, 'svc');
}

function busyPort({ options }: Call<DashboardOptions>): string {
  const port = options.port ?? AGENT_DEFAULT_PORT;
  const other = port < 65_535 ? port + 1 : 0;
  return `Cannot listen on 127.0.0.1:${port}: port ${port} is in use, and svc does not free it; choose another with --port, such as --port ${other}.`;
}

function parseProbes(text: string): ('stacks' | 'files')[] {
  return [...new Set(text.split(','))].map((name) => {
    if (name === 'stacks' || name === 'files') return name;
    throw new InvalidValueError('There are stacks and files, with a comma between.');
  });
}
