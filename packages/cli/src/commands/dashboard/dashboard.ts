// `svc dashboard`: starts the local agent, prints its address and waits for the end of the session.
import { constants } from 'node:os';
import { resolve } from 'node:path';
import type { Agent, AgentOptions, LaunchedProgram } from '@svc/agent';
import { AGENT_DEFAULT_PORT, AGENT_LIMITS, TTL_MS } from '@svc/contracts/agent';
import { type AgentFiles, findAgentFiles } from '../../agent/agent-files.ts';
import { type Chosen, chooseTarget } from '../../agent/choose-target.ts';
import { MEASURE_OPTIONS, PROCESS_OPTIONS } from '../../agent/process-options.ts';
import { programEnd } from '../../agent/program-end.ts';
import { PROVIDER_URL_OPTION } from '../../agent/provider-options.ts';
import { startFailure } from '../../agent/start-failure.ts';
import {
  type Call,
  defineCommand,
  type OptionSpec,
  type OptionValues,
} from '../../command-line/define-command.ts';
import { parseDuration, parsePort, parseSize } from '../../command-line/values.ts';
import { createOutput } from '../../output/output.ts';
import { findDataFolder } from '../../process/data-folder.ts';
import { countSignals } from '../../process/interrupt.ts';
import type { Io } from '../../process/io.ts';
import { VERSION } from '../../process/version.ts';
import { checkFollowed, followedPath } from '../../trace/followed-path.ts';
import { TRACE_ENDINGS } from '../../trace/trace-endings.ts';
import { type Announcement, announce, reportBusyChild, reportEnding } from './announce.ts';

const OPTIONS = [
  ...PROCESS_OPTIONS,
  {
    flags: '--start',
    help: 'start recording at once, a started program before its first instruction',
  },
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
  ...MEASURE_OPTIONS,
  {
    flags: '--import-limit <SIZE>',
    help: 'size of the largest trace to open (default: 2GiB)',
    parse: (text: string) => parseSize(text, { least: '1B', most: '1024TiB' }),
  },
  PROVIDER_URL_OPTION,
  { flags: '--no-open', help: 'print the address and do not open a browser' },
] as const satisfies readonly OptionSpec[];

type DashboardCall = Call<OptionValues<typeof OPTIONS>, 'dashboard'>;

export const dashboardCommand = defineCommand({
  name: 'dashboard',
  summary: 'Profile a process on this machine, or open a trace, in a private viewer',
  description: `svc serves the viewer on 127.0.0.1, for you only: the printed address contains a secret that changes with each start. Recording starts when you press Start in the viewer, or at once with --start. svc then samples CPU and RSS, and on Linux PSS, of one process once a second. No data leaves this machine.

The process is the one of --pid or --name, or the program after --, which svc starts. Without them, svc asks on a terminal which of your processes to profile. If the process is idle while a child of it works, as launchers do, svc says so: --child NAME profiles the child.

The session ends with Ctrl-C, with End session in the viewer, after the time of --ttl, or when the process exits. svc then ends the program that it has started. Recordings are kept in the data folder ($XDG_DATA_HOME/svc, or ~/.local/share/svc).`,
  arguments: [
    {
      name: '[FILE]',
      help: 'a .vpt trace, a V8 CPU profile, a Chrome trace (.json or .json.gz), a frame log (.csv) or folded stacks to open',
      value: { kind: 'file', endings: TRACE_ENDINGS },
    },
  ],
  options: OPTIONS,
  program: true,
  examples: [
    ['svc dashboard --name my-game', 'profile a running game'],
    ['svc dashboard --start -- ./my-game --level 3', 'start a game, and record it from the start'],
    ['svc dashboard --child my-game -- ./launcher', 'profile the game that a launcher starts'],
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
  await runDashboard({ args: [file], options: { port: 0, open: true }, program: null, io, output });
}

/** The parts that have started so far, and whether a signal has asked to end them. */
type Running = {
  agent: Agent | null;
  program: LaunchedProgram | null;
  announcement: Announcement | null;
  asked: boolean;
};

async function runDashboard(call: DashboardCall): Promise<void> {
  const { output, io, options } = call;
  checkFollowed(options, io.cwd);
  const running: Running = { agent: null, program: null, announcement: null, asked: false };
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
  try {
    await using target = await choose(call, starting.signal, (program) => {
      running.program = program;
    });
    const agent = target === null ? null : await start(call, target, starting.signal);
    if (agent === null || target === null) {
      return reportEnding(output, { reason: 'signal', trace: null });
    }
    running.agent = agent;
    const announcement = announce(agent, io, output, {
      storageCapBytes: options.storageCap ?? AGENT_LIMITS.storage_cap_bytes,
      open: options.open && !running.asked,
      records: options.start === true,
      program: target.program?.name ?? null,
      follow: options.follow ?? null,
    });
    running.announcement = announcement;
    if (running.asked) agent.end('signal');
    const ending = await agent.ended;
    announcement.withdraw();
    const hasExited = ending.reason === 'target_exit';
    const exit = hasExited ? await programEnd(target, output.warn) : null;
    reportEnding(output, ending, { exit });
  } finally {
    stop();
  }
}

/** Chooses the process. Returns null if the signal was aborted first, because a question and a launcher take time. */
async function choose(
  { args, options, program, io, output }: DashboardCall,
  signal: AbortSignal,
  onLaunch: (program: LaunchedProgram) => void,
): Promise<Chosen | null> {
  const { json, warn } = output;
  const ask = args.length === 0;
  try {
    return await chooseTarget({ options, program, io, json, ask, onLaunch, warn, signal });
  } catch (error) {
    if (signal.aborted && error === signal.reason) return null;
    throw error;
  }
}

/** Ends on the second signal: waits for the end of the recording only, and not for long. */
async function endAtOnce(
  { io, output }: DashboardCall,
  { agent, program, announcement }: Running,
  signal: NodeJS.Signals,
): Promise<void> {
  announcement?.withdraw();
  program?.kill();
  const { ending, finished } = (await agent?.endAtOnce('signal')) ?? {
    ending: { reason: 'signal', trace: null },
    finished: false,
  };
  reportEnding(output, ending, { finished });
  io.exit(finished ? 0 : 128 + constants.signals[signal]);
}

/** If npm or npx started the dashboard, calls `onGone` when they exit: no user could end the dashboard then. */
async function watchNpm(io: Io, onGone: () => void): Promise<Disposable> {
  const { watchStarter } = await import('@svc/agent');
  return watchStarter(io.env, onGone);
}

/** Starts the agent. Returns null if the signal was aborted first, because opening a large FILE takes time. */
async function start(
  call: DashboardCall,
  target: Chosen,
  signal: AbortSignal,
): Promise<Agent | null> {
  const files = await findAgentFiles();
  const { startAgent, StartError } = await import('@svc/agent');
  try {
    return await startAgent({ ...agentOptions(call, target, files), signal });
  } catch (error) {
    if (signal.aborted && error === signal.reason) return null;
    if (!(error instanceof StartError)) throw error;
    throw startFailure(error, error.code === 'port_busy' ? busyPort(call) : error.message);
  }
}

function agentOptions(
  { args, options, io, output }: DashboardCall,
  { pid, startTicks, program }: Chosen,
  files: AgentFiles,
): AgentOptions {
  return {
    ...files,
    port: options.port ?? AGENT_DEFAULT_PORT,
    pid,
    startTicks,
    program: pid === null ? program : null,
    launched: program !== null,
    start: options.start === true,
    file: args[0] ?? null,
    dataDir: options.dataDir === undefined ? findDataFolder(io) : resolve(io.cwd, options.dataDir),
    ttlMs: options.ttl ?? TTL_MS.default,
    storageCapBytes: options.storageCap ?? AGENT_LIMITS.storage_cap_bytes,
    importLimitBytes: options.importLimit ?? AGENT_LIMITS.import_bytes,
    pssIntervalMs: options.pssInterval ?? 1000,
    probes: options.probes ?? [],
    follow: followedPath(options, io.cwd),
    providerUrl: options.providerUrl ?? null,
    env: io.env,
    version: VERSION,
    onBusyChild: (name, child) => reportBusyChild(output, name, child),
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
