// `svc dashboard`: starts the local agent, prints its address and waits for the end of the session.
import { constants } from 'node:os';
import { resolve } from 'node:path';
import type { Agent, AgentOptions } from '@svc/agent';
import { AGENT_DEFAULT_PORT, AGENT_LIMITS, TTL_MS } from '@svc/contracts/agent';
import { type AgentFiles, findAgentFiles } from '../../agent/agent-files.ts';
import { PROVIDER_URL_OPTION } from '../../agent/provider-options.ts';
import {
  type Call,
  defineCommand,
  InvalidValueError,
  type OptionSpec,
  type OptionValues,
} from '../../command-line/define-command.ts';
import { parseDuration, parsePid, parsePort, parseSize } from '../../command-line/values.ts';
import { createOutput } from '../../output/output.ts';
import { safeLine } from '../../output/text.ts';
import { findDataFolder } from '../../process/data-folder.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { countSignals } from '../../process/interrupt.ts';
import type { Io } from '../../process/io.ts';
import { VERSION } from '../../process/version.ts';
import { TRACE_ENDINGS } from '../../trace/trace-endings.ts';
import { type Announcement, announce, reportEnding } from './announce.ts';

const OPTIONS = [
  { flags: '--pid <PID>', help: 'the process to profile', parse: parsePid },
  {
    flags: '--port <PORT>',
    help: `port on 127.0.0.1; 0 chooses a free one (default: ${AGENT_DEFAULT_PORT})`,
    parse: parsePort,
  },
  {
    flags: '--ttl <TIME>',
    help: 'end the session after this time, at most 24h (default: 8h)',
    parse: (text: string) => parseDuration(text, { least: '1s', most: '24h' }),
  },
  { flags: '--data-dir <DIR>', help: 'folder for recordings', value: { kind: 'folder' } },
  {
    flags: '--storage-cap <SIZE>',
    help: 'the most that one session may record (default: 256MiB)',
    // Below this size no recording fits, because space for its end is reserved.
    parse: (text: string) => parseSize(text, { least: '8KiB', most: '1024TiB' }),
  },
  {
    flags: '--import-limit <SIZE>',
    help: 'size of the largest trace to open (default: 2GiB)',
    parse: (text: string) => parseSize(text, { least: '1B', most: '1024TiB' }),
  },
  {
    flags: '--pss-interval <TIME>',
    help: 'time between two readings of PSS, which stall a large process (default: 1s)',
    parse: (text: string) => parseDuration(text, { least: '1s', most: '24h' }),
  },
  {
    flags: '--probes <LIST>',
    help: 'additional probes, separated by commas: frames (of OpenGL; adds 4 to 15 µs to each frame, and 0.8 µs to each frame of other programs with the same library), stacks (slows the process by about 1 %), files (adds 1.2 µs to each read of the process, and 0.3 µs to each read of all other programs)',
    parse: parseProbes,
    value: {
      kind: 'words',
      words: ['frames', 'stacks', 'files', 'frames,stacks', 'frames,stacks,files'],
    },
  },
  PROVIDER_URL_OPTION,
  { flags: '--no-open', help: 'print the address and do not open a browser' },
] as const satisfies readonly OptionSpec[];

type DashboardCall = Call<OptionValues<typeof OPTIONS>, 'dashboard'>;

export const dashboardCommand = defineCommand({
  name: 'dashboard',
  summary: 'Profile a process on this machine, or open a trace, in a private viewer',
  description: `svc serves the viewer on 127.0.0.1, for you only: the printed address contains a secret that changes with each start. Recording starts when you press Start in the viewer. svc then samples CPU and RSS, and on Linux PSS, of the process that --pid names once a second. No data leaves this machine.

The session ends with Ctrl-C, with End session in the viewer, after the time of --ttl, or when the process exits. Recordings are kept in the data folder ($XDG_DATA_HOME/svc, or ~/.local/share/svc).`,
  arguments: [
    {
      name: '[FILE]',
      help: 'a .vpt trace, a V8 CPU profile, a Chrome trace (.json or .json.gz), a frame log (.csv) or folded stacks to open',
      value: { kind: 'file', endings: TRACE_ENDINGS },
    },
  ],
  options: OPTIONS,
  examples: [
    ['svc dashboard --pid $(pidof -s my-game)', 'profile a running game'],
    ['svc dashboard last-night.vpt', 'open a trace'],
    ['svc dashboard --port 0 --no-open --json', 'in a script; the first line has the address'],
  ],
  document: 'dashboard',
  streaming: true,
  run: runDashboard,
});

/** Opens a trace in the dashboard, at a free port, and waits for the end of the session. */
export async function openDashboard(file: string, io: Io): Promise<void> {
  const output = createOutput(io, { json: false });
  await runDashboard({ args: [file], options: { port: 0, open: true }, io, output });
}

/** The parts that have started so far, and whether a signal has asked to end them. */
type Running = { agent: Agent | null; announcement: Announcement | null; asked: boolean };

async function runDashboard(call: DashboardCall): Promise<void> {
  const { output, io, options } = call;
  const running: Running = { agent: null, announcement: null, asked: false };
  const starting = new AbortController();
  const end = (): void => {
    running.asked = true;
    starting.abort();
    running.agent?.end('signal');
  };
  // Listens before the first line is written, because a script may send a signal as soon as it reads that line.
  const stop = countSignals(io, (count, signal) => {
    if (count === 1) end();
    else if (count === 2) void endAtOnce(call, running, signal);
  });
  using _starter = await watchNpm(io, end);
  const agent = await start(call, starting.signal);
  if (agent === null) {
    stop();
    return reportEnding(output, { reason: 'signal', trace: null });
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
  reportEnding(output, ending);
}

/** Ends on the second signal: waits for the end of the recording only, and not for long. */
async function endAtOnce(
  { io, output }: DashboardCall,
  { agent, announcement }: Running,
  signal: NodeJS.Signals,
): Promise<void> {
  announcement?.withdraw();
  const { ending, finished } = (await agent?.endAtOnce('signal')) ?? {
    ending: { reason: 'signal', trace: null },
    finished: false,
  };
  reportEnding(output, ending, finished);
  io.exit(finished ? 0 : 128 + constants.signals[signal]);
}

/** If npm or npx started the dashboard, calls `onGone` when they exit: no user could end the dashboard then. */
async function watchNpm(io: Io, onGone: () => void): Promise<Disposable> {
  const { watchStarter } = await import('@svc/agent');
  return watchStarter(io.env, onGone);
}

/** Starts the agent. Returns null if the signal was aborted first, because opening a large FILE takes time. */
async function start(call: DashboardCall, signal: AbortSignal): Promise<Agent | null> {
  const files = await findAgentFiles();
  const { startAgent, StartError } = await import('@svc/agent');
  try {
    return await startAgent({ ...agentOptions(call, files), signal });
  } catch (error) {
    if (signal.aborted && error === signal.reason) return null;
    if (!(error instanceof StartError)) throw error;
    if (error.code === 'invalid_option') throw usageError(error.message);
    const message = error.code === 'port_busy' ? busyPort(call) : error.message;
    // The system's own words follow the last colon. One plain sentence replaces them.
    const sentence = message.replace(/: ENOENT: .*$/, ': the file does not exist.');
    throw new ExitError(EXIT.unexpected, error.code, safeLine(sentence), { cause: error });
  }
}

function agentOptions(
  { args, options, io, output }: DashboardCall,
  files: AgentFiles,
): AgentOptions {
  return {
    ...files,
    port: options.port ?? AGENT_DEFAULT_PORT,
    pid: options.pid ?? null,
    file: args[0] ?? null,
    dataDir: options.dataDir === undefined ? findDataFolder(io) : resolve(io.cwd, options.dataDir),
    ttlMs: options.ttl ?? TTL_MS.default,
    storageCapBytes: options.storageCap ?? AGENT_LIMITS.storage_cap_bytes,
    importLimitBytes: options.importLimit ?? AGENT_LIMITS.import_bytes,
    pssIntervalMs: options.pssInterval ?? 1000,
    probes: options.probes ?? [],
    providerUrl: options.providerUrl ?? null,
    env: io.env,
    version: VERSION,
    onFailure: (error) => {
      output.warn(
        `An error occurred in the dashboard: ${error instanceof Error ? error.stack : error}`,
      );
    },
  };
}

function busyPort({ options }: DashboardCall): string {
  const port = options.port ?? AGENT_DEFAULT_PORT;
  const other = port < 65_535 ? port + 1 : 0;
  return `Cannot listen on 127.0.0.1:${port}: port ${port} is in use. Choose another one, for example --port ${other}.`;
}

function parseProbes(text: string): ('frames' | 'stacks' | 'files')[] {
  return [...new Set(text.split(','))].map((name) => {
    if (name === 'frames' || name === 'stacks' || name === 'files') return name;
    throw new InvalidValueError('Choose frames, stacks and files, separated by commas.');
  });
}
