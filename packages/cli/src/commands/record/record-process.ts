// Records a process without a viewer, for `svc record --pid PID` and `svc record -- PROGRAM`.
import { resolve } from 'node:path';
import type { LaunchedProgram } from '@svc/agent';
import { AGENT_LIMITS, type Metric, type Target } from '@svc/contracts/agent';
import { packagedPrograms, packagedWorker } from '../../agent/agent-files.ts';
import { type Chosen, chooseTarget } from '../../agent/choose-target.ts';
import { programEnd } from '../../agent/program-end.ts';
import { startFailure } from '../../agent/start-failure.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import { countSignals } from '../../process/interrupt.ts';
import { VERSION } from '../../process/version.ts';
import { readProjectFile } from '../../project/project-file.ts';
import { checkOutput, explainUncreated } from '../../trace/check-output.ts';
import { checkFollowed, followedPath } from '../../trace/followed-path.ts';
import type { RecordCall } from './record-options.ts';
import { reportProcess } from './report-process.ts';
import { showProgress } from './show-progress.ts';

/** The options that are only for a browser game, and those that are only for a process. */
const FOR_GAMES = {
  headless: '--headless',
  size: '--size',
  mobile: '--mobile',
  cpuSlowdown: '--cpu-slowdown',
  browser: '--browser',
  input: '--input',
  recordInput: '--record-input',
  allowSecrets: '--allow-secrets',
} as const;
const FOR_PROCESSES = {
  child: '--child',
  probes: '--probes',
  follow: '--follow',
  pssInterval: '--pss-interval',
  storageCap: '--storage-cap',
} as const;

/** Whether the command line names a process. Throws a usage error for options that do not fit. */
export function recordsProcess({ args: [game], options, program }: RecordCall): boolean {
  const isProcess = options.pid !== undefined || options.name !== undefined || program !== null;
  if (!isProcess) {
    const wrong = givenOf(options, FOR_PROCESSES);
    if (wrong === undefined) return false;
    throw usageError(
      `${wrong} is for recordings of a process.`,
      'Name the process with --pid or --name, or a program after --.',
    );
  }
  if (game !== undefined) {
    throw usageError(
      `"${game}" and a process cannot be recorded together.`,
      'Name a browser game, or a process.',
    );
  }
  const wrong = options.stacks ? givenOf(options, FOR_GAMES) : '--no-stacks';
  if (wrong === undefined) return true;
  throw usageError(
    `${wrong} is for recordings of browser games.`,
    'Leave it out to record a process.',
  );
}

function givenOf(
  options: RecordCall['options'],
  flags: Readonly<Partial<Record<keyof RecordCall['options'], string>>>,
): string | undefined {
  const given = Object.entries(flags).find(
    ([key]) => options[key as keyof typeof options] !== undefined,
  );
  return given?.[1];
}

/** Records the process into a trace and prints the summary. Throws an ExitError. */
export async function recordProcessTo(path: string, call: RecordCall): Promise<void> {
  const { io, output, options, program } = call;
  checkOutput(resolve(io.cwd, path), path);
  checkFollowed(options, io.cwd, path);
  // Read before the recording, which may take long, so that a mistake in it costs no recording.
  const budgets = readProjectFile(io.cwd)?.budgets ?? {};
  const ending = new AbortController();
  const running: { program: LaunchedProgram | null } = { program: null };
  const stop = countSignals(io, (count) => {
    ending.abort(new ExitError(EXIT.interrupted, 'interrupted', 'Interrupted.'));
    if (count === 1) return;
    running.program?.kill();
    io.exit(EXIT.interrupted);
  });
  try {
    const { signal } = ending;
    const { json, warn } = output;
    const onLaunch = (launched: LaunchedProgram): void => {
      running.program = launched;
    };
    const choice = { options, program, io, json, ask: false, onLaunch, warn, signal };
    await using target = await chooseTarget(choice);
    const recorded = await record(path, target, ending, call);
    // Ctrl-C on a terminal ends the program, too, which is then no failure of the program.
    const isOver = recorded.ended === 'exited' && !signal.aborted;
    const exit = isOver ? await programEnd(target, warn) : null;
    await reportProcess(call, { path, recorded, exit, follow: options.follow, budgets });
  } finally {
    stop();
  }
}

async function record(path: string, target: Chosen, ending: AbortController, call: RecordCall) {
  const { io, options } = call;
  const { recordProcess, StartError } = await import('@svc/agent');
  // A line that is redrawn would erase what the program prints.
  const progress = showProgress(io, target.program === null);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await recordProcess({
      process: processOf(target),
      output: resolve(io.cwd, path),
      capBytes: options.storageCap ?? AGENT_LIMITS.storage_cap_bytes,
      pssIntervalMs: options.pssInterval ?? 1000,
      probes: options.probes ?? [],
      follow: followedPath(options, io.cwd),
      version: VERSION,
      ...packagedWorker(),
      ...packagedPrograms(),
      signal: ending.signal,
      onStart: (process: Target) => progress.start(process),
      onRun() {
        const { seconds } = options;
        if (seconds !== undefined) timer = setTimeout(() => ending.abort(), seconds * 1000);
      },
      onSample: (metric: Metric) => progress.update(metric),
    });
  } catch (error) {
    throw error instanceof StartError ? startFailure(error) : explainUncreated(error, path);
  } finally {
    clearTimeout(timer);
    progress.clear();
  }
}

function processOf({ pid, startTicks, program }: Chosen) {
  if (pid !== null) return { pid, startTicks };
  if (program !== null) return program;
  throw usageError('No process is named.', 'Name it with --pid or --name, or a program after --.');
}
